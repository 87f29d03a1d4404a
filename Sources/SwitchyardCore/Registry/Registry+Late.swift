// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

extension Registry {
    /// Has `watch` watch deliveries of this center in `mailbox`, in place of the one before; nil:
    /// none.
    func setWatch(_ watch: LateWatch?, on mailbox: SharedMailbox) {
        mailbox.setWatch(watch, ofCenter: identity)?.end()
        let kept = watch == nil ? nil : mailbox
        // The old value may be the last reference: let go without the lock.
        let before = watchedMailboxes.withLock { watched in
            let before = watched[ObjectIdentifier(mailbox)]
            watched[ObjectIdentifier(mailbox)] = kept
            return before
        }
        withExtendedLifetime(before) {}
    }

    /// Ends all watches: the center goes.
    func endWatches() {
        let watched = watchedMailboxes.exchange([:])
        for mailbox in watched.values { mailbox.setWatch(nil, ofCenter: identity)?.end() }
    }
}
