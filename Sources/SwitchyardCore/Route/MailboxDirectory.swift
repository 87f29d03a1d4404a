// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The one mailbox of each queue or loop, so that order holds across all observers there.
package final class MailboxDirectory: Sendable {
    private struct Entry {
        weak var mailbox: DeliveryMailbox?
    }

    private struct State {
        var entries: [ObjectIdentifier: Entry] = [:]
        /// At how many entries those whose mailbox has gone are dropped.
        var sweepDue = 32
    }

    private let state = Guarded(State())

    package init() {}

    /// The mailbox of `owner`, whose target must keep `owner` alive; made by `make` if there is none.
    package func mailbox(
        of owner: AnyObject, make: () -> DeliveryMailbox
    ) -> DeliveryMailbox {
        let id = ObjectIdentifier(owner)
        if let mailbox = state.withLock({ $0.entries[id]?.mailbox }) { return mailbox }
        let made = make()
        return state.withLock { state in
            if let mailbox = state.entries[id]?.mailbox { return mailbox }
            if state.entries.count >= state.sweepDue {
                state.entries = state.entries.filter { $0.value.mailbox != nil }
                state.sweepDue = 32 + state.entries.count * 2
            }
            state.entries[id] = Entry(mailbox: made)
            return made
        }
    }
}
