// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The condition of an observation that hears only some of the posts it matches.
@_spi(Engine) public class DeliveryFilter: @unchecked Sendable {
    // Sendable: nothing is stored here; the subclass answers for itself.

    /// The type of payload that the condition reads.
    var payload: Any.Type { preconditionFailure("a subclass of DeliveryFilter overrides payload") }

    fileprivate init() {}

    /// Returns the filter that admits the payloads that fulfil both conditions.
    static func make<Payload>(
        _ earlier: DeliveryFilter?, and condition: @escaping @Sendable (Payload) -> Bool
    ) -> DeliveryFilter {
        guard let earlier else { return ConditionFilter(condition) }
        guard let earlier = earlier as? ConditionFilter<Payload> else {
            Misuse.stop(
                "one `where` has a condition on a \(earlier.payload), and another on a "
                    + "\(Payload.self): an observer gets one of them")
        }
        return ConditionFilter { earlier.condition($0) && condition($0) }
    }

    /// Whether a payload fulfils the condition, which reads payloads of its type.
    package final func admits<Payload>(_ payload: Payload) -> Bool {
        guard let filter = self as? ConditionFilter<Payload> else {
            preconditionFailure("a condition on a \(self.payload) got a \(Payload.self)")
        }
        return filter.condition(payload)
    }
}

// Sendable: constant, and the condition is Sendable.
private final class ConditionFilter<Payload>: DeliveryFilter, @unchecked Sendable {
    let condition: @Sendable (Payload) -> Bool

    init(_ condition: @escaping @Sendable (Payload) -> Bool) {
        self.condition = condition
        super.init()
    }

    override var payload: Any.Type { Payload.self }
}
