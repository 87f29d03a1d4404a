// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Synchronization

/// A match that is kept from one post to the next, for a thread that posts many messages of one
/// topic and subject one after the other.
///
/// Every post delivers to the observations that there are when it begins, as any other post does:
/// the match is made anew once an observation has come or gone. Between two posts the thread's
/// record shows the list, and no observation: whoever cancels one waits for nothing.
///
/// The thread that begins a run ends it, and ends before that what it has begun later.
package struct PostRun {
    /// Nil while there is no run.
    private(set) var match: Match?
    /// The registry's ``Registry/changes`` before the match was made.
    private var changes: UInt = 0

    package init() {}

    /// Ends the run, if there is one.
    package mutating func end() {
        guard let kept = match.take() else { return }
        kept.end()
    }

    /// Delivers as a part of a run that ``_NotificationEngine/goesOn(_:)``.
    ///
    /// A function of the run, which has the match: a closure that calls one of the engine would
    /// count references to the engine, which takes longer than the rest.
    ///
    /// - Returns: What was done, if there is more to do than to call plain observations: then
    ///   ``_NotificationEngine/deliverRest(_:of:in:after:)`` has to follow.
    package func deliver<Payload>(_ payload: Payload) -> PlainRun? {
        guard let match else { return PlainRun(end: .max) }
        let list = ObservationListView(match[0])
        let plain =
            list.count == 1
            ? Match.callOne(payload, list, match.slot) : Match.callAll(payload, list, match.slot)
        return plain.isOver && plain.delivered > 0 ? nil : plain
    }

    fileprivate mutating func begin(_ match: Match, _ changes: UInt) {
        self.match = match
        self.changes = changes
    }

    fileprivate mutating func takeMatch() -> Match? { match.take() }

    @inline(__always)
    fileprivate func isCurrent(in registry: Registry) -> Bool {
        match != nil && registry.changes.load(ordering: .acquiring) == changes
            && !registry.hooks.hasOnlookers
    }
}

extension NotificationEngine {
    /// Whether a run's observations are those of a post that begins now, and nobody looks on.
    @inline(__always)
    package func goesOn(_ run: borrowing PostRun) -> Bool { run.isCurrent(in: registry) }

    /// Begins a run, if the topic's observations are such that it pays.
    package func begin(_ run: inout PostRun, _ topic: Topic, _ subject: Subject) {
        run.end()
        if registry.hooks.hasOnlookers || !mayBeHeard(topic) { return }
        // Read first: a change that comes meanwhile has the match made anew.
        let changes = registry.changes.load(ordering: .acquiring)
        let match = registry.match(topic, subject)
        if match.isEmpty || !match.isPlain || !match.isForRuns { return match.end() }
        run.begin(match, changes)
    }

    /// Completes what ``PostRun/deliver(_:)`` has begun, and ends the run.
    @inline(never)
    package func deliverRest<Payload>(
        _ payload: Payload, of posting: Posting, in run: inout PostRun, after plain: PlainRun
    ) {
        guard let match = run.takeMatch() else { return }
        _ = deliverRest(payload, of: posting, to: match, after: plain)
    }
}

extension Match {
    /// Whether the first observation is plain: if it is not, its deliveries go another way.
    fileprivate var isForRuns: Bool {
        let list = ObservationListView(self[0])
        return list.count > 0
            && list[0]._withUnsafeGuaranteedRef { $0.seenState & Observation.State.notPlain == 0 }
    }
}
