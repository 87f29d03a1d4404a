// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The one mailbox of each queue or loop, so that order holds across all observers there.
///
/// A module that adds a context (``MailboxTarget``) has one directory, for all its queues or loops.
/// The directory keeps no mailbox alive: observations do.
public final class MailboxDirectory: Sendable {
    private struct Entry {
        weak var mailbox: SharedMailbox?
    }

    private struct State {
        var entries: [ObjectIdentifier: Entry] = [:]
        /// The number of entries at which entries whose mailbox has gone are dropped.
        var sweepDue = 32

        /// - Returns: The mailboxes that were looked at, to be let go when the lock is free: a
        ///   reference here may be the last to hold a mailbox, and with it what is the user's.
        mutating func insert(
            _ mailbox: SharedMailbox, for id: ObjectIdentifier
        ) -> [SharedMailbox] {
            var looked: [SharedMailbox] = []
            if entries.count >= sweepDue {
                entries = entries.filter { entry in
                    guard let mailbox = entry.value.mailbox else { return false }
                    looked.append(mailbox)
                    return true
                }
                sweepDue = 32 + entries.count * 2
            }
            entries[id] = Entry(mailbox: mailbox)
            return looked
        }
    }

    private let state = Guarded(State())

    /// Creates a directory without mailboxes.
    public init() {}

    /// Returns the mailbox of a queue or loop, and makes it if there is none. Callable on any
    /// thread.
    ///
    /// - Parameters:
    ///   - owner: the queue or loop. The mailbox's target keeps it alive, so that its address is
    ///     not another's.
    ///   - make: makes a mailbox whose target delivers on `owner`. Called without a lock; of
    ///     several mailboxes made at once, one stays.
    public func mailbox(of owner: AnyObject, make: () -> SharedMailbox) -> SharedMailbox {
        mailbox(of: owner, belongs: { _ in true }, make: make)
    }

    /// Closes the mailbox of a queue or loop that ends, if it has one, as
    /// ``DeliveryMailbox/close()`` does. Callable on any thread.
    ///
    /// - Parameter owner: the queue or loop.
    public func close(mailboxOf owner: AnyObject) {
        let mailbox = state.withLock { $0.entries[ObjectIdentifier(owner)]?.mailbox }
        mailbox?.end()
    }

    /// Returns the mailbox of an owner that its target does not keep alive.
    ///
    /// - Parameter belongs: whether a mailbox is the owner's, and not that of an earlier object at
    ///   its address.
    package func mailbox(
        of owner: AnyObject, belongs: (SharedMailbox) -> Bool, make: () -> SharedMailbox
    ) -> SharedMailbox {
        let id = ObjectIdentifier(owner)
        var known = state.withLock { $0.entries[id]?.mailbox }
        while true {
            // `belongs` is called without the lock: it may be the last to hold the object that it
            // looks at.
            if let known, belongs(known) { return known }
            let made = make()
            let (other, looked) = state.withLock { state -> (SharedMailbox?, [SharedMailbox]) in
                let other = state.entries[id]?.mailbox
                return (other, other === known ? state.insert(made, for: id) : [])
            }
            withExtendedLifetime(looked) {}
            if other === known { return made }
            known = other
        }
    }
}
