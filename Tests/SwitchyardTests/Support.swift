// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Switchyard
import Synchronization

/// What handlers noted down, in order. Safe from any thread; can be waited for.
final class Log<Entry: Sendable>: @unchecked Sendable {
    // Sendable: `storage` is behind the condition's lock.
    private var storage: [Entry] = []
    private let changed = NSCondition()

    var entries: [Entry] {
        changed.lock()
        defer { changed.unlock() }
        return storage
    }

    func add(_ entry: Entry) {
        changed.lock()
        storage.append(entry)
        changed.broadcast()
        changed.unlock()
    }

    /// Waits until there are `count` entries, four minutes at most; what there is.
    @discardableResult
    func wait(for count: Int) -> [Entry] {
        let limit = Date(timeIntervalSinceNow: 240)
        changed.lock()
        defer { changed.unlock() }
        while storage.count < count, changed.wait(until: limit) {}
        return storage
    }
}

extension Log {
    /// As ``wait(for:)``, for async code: blocks no thread of the pool.
    @discardableResult
    func arrival(of count: Int) async -> [Entry] {
        let limit = ContinuousClock.now + .seconds(240)
        while entries.count < count, ContinuousClock.now < limit { await Task.yield() }
        return entries
    }
}

/// Holds threads back until it is opened.
final class Latch: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func open() { semaphore.signal() }

    var isOpen: Bool {
        guard semaphore.wait(timeout: .now()) == .success else { return false }
        semaphore.signal()
        return true
    }

    /// False after four minutes.
    @discardableResult
    func wait() -> Bool {
        guard semaphore.wait(timeout: .now() + 240) == .success else { return false }
        semaphore.signal()
        return true
    }
}

/// Runs `body` on a thread of its own and waits for it, four minutes at most.
func onThread(_ name: String = "test", _ body: @escaping @Sendable () -> Void) {
    let done = Latch()
    let thread = Thread {
        ThreadName.current = name
        body()
        done.open()
    }
    thread.start()
    done.wait()
}

extension Notification.Name {
    static let happened = Notification.Name("happened")
    static let other = Notification.Name("other")
}

/// A message about an object, or nothing.
struct Ping: NotificationMessage {
    typealias Subject = NSObject
    var number = 0
}

/// The name of the thread that runs this.
var threadName: String { ThreadName.current }
