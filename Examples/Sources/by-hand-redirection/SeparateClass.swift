// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Switchyard

/// One queue of notifications for a thread, shared by any number of observers: the separate class that
/// Apple's page suggests in place of an array, a lock and a port in each observer.
final class ThreadRedirection: PortDelegate, @unchecked Sendable {
    // Sendable: `waiting` is used with `lock` held; the rest is constant.

    private var waiting: [(Notification, @Sendable (Notification) -> Void)] = []
    private let lock = NSLock()
    private let port = ThreadPort()

    /// Makes the calling thread the one on which handlers run.
    init() {
        port.setDelegate(self)
        RunLoop.current.add(port, forMode: .common)
    }

    func observe(
        _ name: Notification.Name, using handler: @escaping @Sendable (Notification) -> Void
    ) -> ObservationToken {
        NotificationCenter.default.observe(name) { [self] notification in
            lock.withLock { waiting.append((notification, handler)) }
            _ = port.send(before: Date(), components: nil, from: nil, reserved: 0)
        }
    }

    func handle(_ message: PortMessage) {
        while let (notification, handler) = next() { handler(notification) }
    }

    private func next() -> (Notification, @Sendable (Notification) -> Void)? {
        lock.withLock { waiting.isEmpty ? nil : waiting.removeFirst() }
    }

    /// Invalidates the port. The run loop would keep the port otherwise, and the port would stay valid.
    func invalidate() { port.invalidate() }
}
