// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Synchronization

/// One observer of one name.
final class Registration: Sendable {
    let name: String
    let inbox: Inbox?
    private let handler: @Sendable (String) -> Void
    private let isOn = Atomic(true)

    init(_ name: String, _ inbox: Inbox?, _ handler: @escaping @Sendable (String) -> Void) {
        self.name = name
        self.inbox = inbox
        self.handler = handler
    }

    func cancel() { isOn.store(false, ordering: .sequentiallyConsistent) }

    /// Calls the handler, unless the registration was cancelled in the meantime.
    func deliver(_ text: String) {
        if isOn.load(ordering: .sequentiallyConsistent) { handler(text) }
    }
}

/// A notification center in its smallest useful form.
final class TinyCenter: Sendable {
    private let registrations = Mutex<[String: [Registration]]>([:])

    /// - Parameter inbox: where the handler is to be called; nil for the posting thread.
    func observe(
        _ name: String, on inbox: Inbox? = nil, using handler: @escaping @Sendable (String) -> Void
    ) -> Registration {
        let registration = Registration(name, inbox, handler)
        registrations.withLock { $0[name, default: []].append(registration) }
        return registration
    }

    func remove(_ registration: Registration) {
        registration.cancel()
        registrations.withLock { $0[registration.name]?.removeAll { $0 === registration } }
    }

    func post(_ name: String, _ text: String) {
        // Match, under the lock.
        let matched = registrations.withLock { $0[name] ?? [] }
        // Route and deliver, without it: a handler may post, observe and remove.
        for registration in matched {
            if let inbox = registration.inbox {
                inbox.put { registration.deliver(text) }
            } else {
                registration.deliver(text)
            }
        }
    }
}
