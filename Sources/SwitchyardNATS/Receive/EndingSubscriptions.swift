// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import SwitchyardDistributed

/// The subscriptions that are no longer needed, each kept until nothing more comes to it. Guard:
/// the transport's lock.
///
/// A server looks up the subscriptions of a message, and then sends it to them. It may have looked
/// them up before it learned of a subscription's replacement, and send the message some time after
/// that. If the replaced subscription had ended meanwhile, the message would be lost. So replaced
/// subscriptions end in passes. A pass waits until the server has confirmed the replacements, then
/// for a moment, and then until the server has confirmed that too.
struct EndingSubscriptions {
    private struct Ending {
        let subscription: Subscription
        /// The subscription's number among all that were added.
        let number: Int
    }

    /// One wait for the server.
    struct Pass {
        /// The last number of a subscription that may end after the pass.
        fileprivate let last: Int
        fileprivate let isEmpty: Bool
    }

    private var entries: [DistributedInterest: Ending] = [:]
    private var lastNumber = 0
    private var lastConfirmed = 0
    /// Whether a thread makes passes.
    private var isInPass = false
    /// Whether messages may come twice: from the replacement of a subscription until the server has
    /// confirmed that it sends nothing more to the old one.
    private(set) var overlaps = false

    var subscriptions: [Subscription] { entries.values.map(\.subscription) }

    mutating func add(_ subscription: Subscription, of interest: DistributedInterest) {
        lastNumber += 1
        entries[interest] = Ending(subscription: subscription, number: lastNumber)
        overlaps = true
    }

    /// Returns the subscription of an interest that is needed again.
    mutating func takeBack(_ interest: DistributedInterest) -> Subscription? {
        entries.removeValue(forKey: interest)?.subscription
    }

    /// Returns whether the caller has to start a thread that makes passes.
    mutating func needsPasses() -> Bool {
        if isInPass || !overlaps { return false }
        isInPass = true
        return true
    }

    /// Begins a pass.
    ///
    /// - Returns: Nil when no more passes are needed, or possible.
    mutating func beginPass(isConnected: Bool) -> Pass? {
        isInPass = overlaps && isConnected
        return isInPass ? Pass(last: lastNumber, isEmpty: entries.isEmpty) : nil
    }

    /// Notes that the server has confirmed everything sent before a pass.
    mutating func end(_ pass: Pass) {
        lastConfirmed = max(lastConfirmed, pass.last)
        if pass.isEmpty, pass.last == lastNumber { overlaps = false }
    }

    /// Removes the subscriptions that may end, and returns them.
    mutating func removeConfirmed() -> [DistributedInterest: Subscription] {
        let confirmed = entries.filter { $0.value.number <= lastConfirmed }
        for interest in confirmed.keys { entries[interest] = nil }
        return confirmed.mapValues(\.subscription)
    }

    /// Removes all subscriptions, because their session has ended, and returns them.
    mutating func removeAll() -> [Subscription] {
        defer { entries = [:] }
        overlaps = false
        return subscriptions
    }
}
#endif
