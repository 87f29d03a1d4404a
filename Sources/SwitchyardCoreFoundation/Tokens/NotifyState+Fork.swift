// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if !canImport(Darwin)
internal import CSwitchyard

extension NotifyState {
    /// Makes the registrations a forked child's own. Their deliveries end: the thread that watches
    /// is the parent's alone. Called before everything else that the child does.
    ///
    /// - Returns: The deliveries that nobody uses any more.
    mutating func forgetParent() -> [NotifyDelivery] {
        guard generation != switchyard_fork_generation() else { return [] }
        generation = switchyard_fork_generation()
        watch = nil
        watched = [:]
        for name in Array(names.keys) { forgetParent(name) }
        let deliveries = tokens.values.map(\.delivery)
        for token in Array(tokens.keys) { tokens[token]?.delivery = .none }
        return deliveries
    }

    /// Opens the file of a name for this process: the lock on the open file that the parent had is
    /// one for both, and goes when the parent gives it back.
    private mutating func forgetParent(_ name: NotifyName) {
        guard var entry = names[name] else { return }
        entry.watchNumber = nil
        // A child without a file of its own goes on with its parent's.
        if let file = try? open(name) { try? replaceFile(of: &entry, with: file) }
        names[name] = entry
    }
}
#endif
