// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if !canImport(Darwin)
internal import Foundation
@_spi(Engine) internal import Switchyard
@_spi(Engine) internal import SwitchyardCore
internal import Synchronization

/// The center of Darwin notifications: names alone, posted and heard as by the functions of
/// notify.h. Callbacks run on the main run loop.
final class DarwinCenter: CoreCenter, @unchecked Sendable {
    // Sendable: `watches` has a lock, the rest is constant.

    /// The center on which a name is posted when a post of any process was heard.
    private let center = Switchyard.NotificationCenter(delivering: .main)
    /// The names that are watched, as long as somebody observes them.
    private let watches = Guarded(Watches())

    override func observe(_ registration: Registration) -> (any Sendable)? {
        guard let name = registration.request.name else {
            report("an observer of the Darwin center needs a name: it was not added")
            return nil
        }
        do throws(NotifyError) {
            // The observation first: it hears the first post that the watch sees. Always queued: a
            // callback that posts its own name again must not run inside itself. One delivery waits
            // at most: other processes may post faster than the main thread goes on.
            let token = center.observe(
                Notification.Name(name), of: nil, in: .main,
                options: .queued.bounded(.keepLatest(above: 1) { (_: Notification) in true }),
                origin: RegistrationSite("CFNotificationCenterAddObserver", 0),
                with: CallbackHandler(registration, object))
            return Observing(token: token, watch: try watch(name))
        } catch {
            report(error.reason ?? "\"\(name)\" can't be observed (status \(error.status))")
            return nil
        }
    }

    override func post(
        _ name: UnsafeRawPointer, _ object: UnsafeRawPointer?, _ userInfo: UnsafeRawPointer?,
        _ options: PostOptions
    ) {
        guard let name = string(at: name) else { return }
        do throws(NotifyError) {
            try NotifyTable.shared.post(NotifyName(Array(name.utf8)))
        } catch {
            report(error.reason ?? "\"\(name)\" can't be posted (status \(error.status))")
        }
    }

    override func identity(of object: UnsafeRawPointer?) -> Registration.ObjectIdentity { .any }

    /// Returns the watch of a name, the same one for all its observers.
    private func watch(_ name: String) throws(NotifyError) -> DarwinWatch {
        if let watch = watches.withLock({ $0.known[name]?.watch }) { return watch }
        // The call is not made under the lock: a registration may report a problem, and the hook
        // may use this center.
        let made = try DarwinWatch(name, center)
        let (watch, others) = watches.withLock { watches in
            let others = watches.forgetEnded()
            // Another thread may have been first.
            if let first = watches.known[name]?.watch { return (first, others) }
            watches.known[name] = WeakWatch(watch: made)
            made.begin()
            return (made, others)
        }
        // A watch whose last observer goes meanwhile ends here, outside the lock.
        withExtendedLifetime((made, others)) {}
        return watch
    }

    /// The watches by name. Those that have ended are forgotten when there are twice as many as
    /// after the last time.
    private struct Watches: Sendable {
        var known: [String: WeakWatch] = [:]
        private var limit = 64

        /// - Returns: The watches that live. The caller lets them go outside the lock, because each
        ///   may be the last reference by now.
        mutating func forgetEnded() -> [DarwinWatch] {
            if known.count < limit { return [] }
            let living = known.values.compactMap(\.watch)
            known = known.filter { $0.value.watch != nil }
            limit = max(64, 2 * known.count)
            return living
        }
    }

    /// The parts of a registration that end with it.
    private struct Observing: Sendable {
        let token: ObservationToken
        let watch: DarwinWatch
    }

    // Sendable: weak references may be read on any thread; the guard of `watches` guards this one.
    private struct WeakWatch: @unchecked Sendable {
        weak var watch: DarwinWatch?
    }
}

/// The registration that posts a name on the Darwin center. Ends with its last reference.
private final class DarwinWatch: Sendable {
    private let token: Int32
    private let isBegun: Begun

    /// Whether posts are passed on: not by a second watch of a name, which two threads may make at
    /// once.
    private final class Begun: Sendable {
        let flag = Atomic<Bool>(false)
    }

    /// Makes a watch that passes nothing on before ``begin()``.
    init(_ name: String, _ center: Switchyard.NotificationCenter) throws(NotifyError) {
        let isBegun = Begun()
        // It takes no time: it puts deliveries into a mailbox, on the thread that brings the news.
        let handler = NotifyHandler(
            takesTime: false, enqueue: { $0() },
            call: { [weak center] _ in
                guard isBegun.flag.load(ordering: .acquiring) else { return }
                center?.post(name: Notification.Name(name), object: nil)
            })
        token = try NotifyTable.shared.register(
            NotifyName(Array(name.utf8)), .handler(handler))
        self.isBegun = isBegun
    }

    func begin() { isBegun.flag.store(true, ordering: .releasing) }

    deinit { try? NotifyTable.shared.cancel(token) }
}
#endif
