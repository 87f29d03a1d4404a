// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

extension CenterSnapshot {
    /// The registrations that look like a mistake, those that were made first before others.
    ///
    /// The findings come from the snapshot alone, and cost posts and registrations nothing. A
    /// finding of the kind ``CenterFinding/Kind/possibleTwins`` may be about a program that is
    /// right: name the owners of closures with ``ObservationOptions/owned(by:)-swift.method``, and
    /// it is made no more. An observer that keeps the latest per key loses nothing by that, and is
    /// not named for deliveries that were replaced, only for those that its limit dropped.
    ///
    /// - Complexity: O(n log n) in the number of registrations.
    public var findings: [CenterFinding] {
        let found =
            ownersThatDied + objectsThatDied + twins + contextFindings + sequences
            + losses
        return found.sorted { ($0.registrations.first ?? 0) < ($1.registrations.first ?? 0) }
    }

    private var ownersThatDied: [CenterFinding] {
        entries.filter(\.ownerIsGone).map { entry in
            CenterFinding(
                .ownerDied, [entry],
                "\(entry.owner.map { "the \($0)" } ?? "the object") that owns \(entry.handler) for "
                    + "\(entry.whatIsObserved), registered at \(entry.origin), has died, and the "
                    + "observation goes on: end it with its owner, by a token that nobody else keeps"
            )
        }
    }

    private var objectsThatDied: [CenterFinding] {
        entries.filter { $0.objectIsGone && !$0.observerIsGone }.map { entry in
            CenterFinding(
                .objectDied, [entry],
                "the object of which \(entry.handler), registered at \(entry.origin), observes "
                    + "\(entry.topic) has died, so no post reaches it any more: end the observation "
                    + "with the object")
        }
    }

    /// Sequences without a limit for which more waits than is usual for a mailbox.
    private var sequences: [CenterFinding] {
        entries.filter { $0.isUnboundedSequence && $0.queueDepth >= 100_000 }.map { entry in
            CenterFinding(
                .contextFull, [entry],
                "\(entry.queueDepth) elements wait for the consumer of \(entry.handler) for "
                    + "\(entry.whatIsObserved), registered at \(entry.origin): it is slower than its "
                    + "posters, or does not ask for the next one; give the sequence a limit, or end it"
            )
        }
    }

    private var losses: [CenterFinding] {
        entries.filter { $0.lost > 0 }.map { entry in
            CenterFinding(
                .loss, [entry],
                "\(entry.lost) \(entry.lost == 1 ? "delivery was" : "deliveries were") lost or refused "
                    + "so far for \(entry.handler) for \(entry.whatIsObserved), registered at "
                    + "\(entry.origin): it \(entry.isPaused ? "is paused" : "was slower than its posters")"
                    + ", and \(entry.reasonForLoss)")
        }
    }
}

// MARK: - Twins

extension CenterSnapshot {
    private var twins: [CenterFinding] {
        var groups: [TwinKey: [Entry]] = [:]
        for entry in entries {
            if let key = TwinKey(entry) { groups[key, default: []].append(entry) }
        }
        return groups.values.filter { $0.count > 1 }.map(Self.twins)
    }

    private static func twins(_ entries: [Entry]) -> CenterFinding {
        let (first, count) = (entries[0], entries.count)
        let what = "\(first.whatIsObserved), on \(first.context)"
        if first.role == .method {
            return CenterFinding(
                .twins, entries,
                "one object has registered \(first.handler) \(count) times for \(what), at "
                    + "\(first.origin), so each post calls it \(count) times: register once, or end "
                    + "the earlier observation first")
        }
        if let owner = first.owner {
            return CenterFinding(
                .twins, entries,
                "one \(owner) has registered \(first.handler) \(count) times for \(what), at "
                    + "\(first.origin), so each post calls it \(count) times: register once, or end "
                    + "the earlier observation first")
        }
        return CenterFinding(
            .possibleTwins, entries,
            "\(count) times \(first.handler) was registered at \(first.origin) for \(what), and goes "
                + "on: if one object registered all of them, each post calls it \(count) times; if "
                + "each has an object of its own, say so: observe(…, options: .owned(by: …))")
    }
}

/// The things that registrations have in common if they look like twins.
private struct TwinKey: Hashable {
    let identity: CenterSnapshot.Entry.Identity
    let origin: RegistrationSite

    /// Nil for a registration that can't have a twin. A dead owner or object is a finding of its
    /// own.
    init?(_ entry: CenterSnapshot.Entry) {
        if entry.role == .other { return nil }
        // Of a group, one hears each post; and conditions, which can't be compared, may share the
        // posts out.
        if entry.options.group != nil || entry.hasCondition { return nil }
        if entry.ownerIsGone || entry.objectIsGone || entry.observerIsGone { return nil }
        identity = entry.identity
        origin = entry.origin
    }
}

// MARK: - Contexts

extension CenterSnapshot {
    private var contextFindings: [CenterFinding] {
        var groups: [ObjectIdentifier: [Entry]] = [:]
        for entry in entries {
            if let mailbox = entry.identity.mailbox { groups[mailbox, default: []].append(entry) }
        }
        return groups.values.compactMap(Self.finding(onContext:))
    }

    /// - Parameter entries: the registrations of one context.
    private static func finding(onContext entries: [Entry]) -> CenterFinding? {
        let first = entries[0]
        let origins = CenterFinding(.contextFull, entries, "").origins
        let places = origins.prefix(6).map(\.description).joined(separator: ", ")
        let handlers = entries.count == 1 ? "1 handler" : "\(entries.count) handlers"
        let who = "\(handlers), registered at \(places)\(origins.count > 6 ? " and elsewhere" : "")"
        if entries.contains(where: \.contextHasEnded) {
            return CenterFinding(
                .contextEnded, entries,
                "\(first.context) has ended, and \(who), will not be called there any more: end "
                    + "these observations, or observe on a context that lives")
        }
        let depth = entries.map(\.queueDepth).max() ?? 0
        let cause = "it is slower than its posters, or does not run. It calls \(who)"
        if let bound = first.contextBound {
            // A context that keeps one delivery is full whenever there is one.
            guard bound.limit > 1, depth >= bound.limit else { return nil }
            return CenterFinding(
                .contextFull, entries,
                "\(depth) deliveries wait for \(first.context), which has no room for more: \(cause)"
            )
        }
        guard let limit = first.highWaterMark, depth >= limit else { return nil }
        let wait = depth == 1 ? "delivery waits" : "deliveries wait"
        return CenterFinding(
            .contextFull, entries,
            "\(depth) \(wait) for \(first.context), where \(limit) \(limit == 1 ? "is" : "are") a sign "
                + "of trouble: \(cause)")
    }
}

extension CenterSnapshot.Entry {
    fileprivate var whatIsObserved: String { "\(topic), \(object)" }

    /// The rule by which deliveries were lost, and the remedy if each of them counts.
    fileprivate var reasonForLoss: String {
        guard let bound = options.bound else {
            return
                "the limit of its stream, or the bound of its context, had no more room: raise it "
                + "if each delivery counts"
        }
        let rule =
            switch bound.overflow {
            case .dropOldest: "drops the oldest above \(bound.limit)"
            case .dropNewest: "drops the newest above \(bound.limit)"
            case .keepLatest: "drops the oldest above \(bound.limit) keys"
            case .refuse: "refuses more than \(bound.limit)"
            case .wait: "refuses more than \(bound.limit) to posts that do not wait"
            }
        let remedy =
            switch bound.overflow {
            case .refuse, .wait: "post with postWhenRoom"
            default: "raise the limit, or have posters wait (.wait)"
            }
        return "its bound \(rule), as was asked for: \(remedy) if each delivery counts"
    }
}
