// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwitchyardCore
import Synchronization
import TestSupport

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A message with a number, about an `Item` or nothing.
struct Ping: NotificationMessage {
    typealias Subject = Item
    var number = 0
}

/// A message about a string.
struct Tick: NotificationMessage {
    typealias Subject = String
    var number = 0
}

final class Item: Sendable {}

/// Tells whether an object is still alive, without keeping it alive.
final class Witness<Object: AnyObject>: @unchecked Sendable {
    // Sendable: a weak reference only goes from the object to nil.
    private weak let object: Object?
    init(_ object: Object) { self.object = object }
    var isAlive: Bool { object != nil }
}

#if canImport(Darwin)
private let noThread: pthread_t? = nil
#else
private let noThread = pthread_t()
#endif

/// Runs `body` on threads of its own, all started before any goes on, and waits for them.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    final class Start: Sendable {
        let index: Int
        let ready: Gate
        let body: @Sendable (Int) -> Void
        init(_ index: Int, _ ready: Gate, _ body: @escaping @Sendable (Int) -> Void) {
            self.index = index
            self.ready = ready
            self.body = body
        }
    }
    let ready = Gate(count)
    var threads = [noThread]
    threads.removeAll()
    for index in 0..<count {
        let start = Unmanaged.passRetained(Start(index, ready, body))
        var thread = noThread
        let status = pthread_create(
            &thread, nil,
            { opaque in
                guard let opaque else { return nil }
                let start = Unmanaged<Start>.fromOpaque(opaque).takeRetainedValue()
                start.ready.arriveAndWait()
                start.body(start.index)
                return nil
            }, start.toOpaque())
        precondition(status == 0)
        threads.append(thread)
    }
    for thread in threads { pthread_join(thread, nil) }
}

/// Ends the calling thread, as `Thread.exit()` does.
func endThisThread() { pthread_exit(nil) }

/// A mailbox that a test drains itself.
final class HandDrained: MailboxTarget {
    let wakeUps = Atomic<Int>(0)
    let isHere = Atomic<Bool>(false)
    var label: String { "hand" }
    var isCurrent: Bool { isHere.load(ordering: .relaxed) }
    func wake(_ mailbox: DeliveryMailbox) { wakeUps.wrappingAdd(1, ordering: .relaxed) }
}

/// A number that any thread may increase.
final class Counter: Sendable {
    private let count = Atomic<Int>(0)
    var value: Int { count.load(ordering: .sequentiallyConsistent) }
    @discardableResult
    func add(_ amount: Int = 1) -> Int {
        count.wrappingAdd(amount, ordering: .sequentiallyConsistent).newValue
    }
}

/// An object that counts its own end.
final class Probe: Sendable {
    private let ended: Counter
    init(_ ended: Counter) { self.ended = ended }
    deinit { ended.add() }
    func touch() {}
}

/// A flag that is set once, and that every thread sees.
final class Flag: Sendable {
    private let value = Atomic<Bool>(false)
    var isSet: Bool { value.load(ordering: .sequentiallyConsistent) }
    func set() { value.store(true, ordering: .sequentiallyConsistent) }
}

/// The only reference to an object, which another thread may drop.
final class Box<Object: AnyObject & Sendable>: Sendable {
    private let storage: Guarded<Object?>

    init(_ object: Object) { storage = Guarded(object) }

    var value: Object {
        guard let object = storage.withLock({ $0 }) else { preconditionFailure("dropped") }
        return object
    }

    func drop() { storage.withLock { $0 = nil } }
}
