// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
/// A server's refusal of a publication or a subscription for which the account has no permission:
/// `Permissions Violation for Publish to "some.subject"`.
struct ServerRefusal: Equatable {
    /// Whether a subscription was refused; false for a publication.
    let isSubscription: Bool
    let subject: String

    /// - Parameter text: a server's error. The result is nil if the error is not about permissions.
    init?(_ text: String) {
        let lowercased = text.lowercased()
        guard lowercased.contains("permissions violation"), let start = text.firstIndex(of: "\"")
        else {
            return nil
        }
        isSubscription = lowercased.contains("subscription to")
        let rest = text[text.index(after: start)...]
        subject = String(rest[..<(rest.firstIndex(of: "\"") ?? rest.endIndex)])
    }
}
#endif
