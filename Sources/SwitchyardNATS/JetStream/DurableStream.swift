// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
/// The streams of a domain for its durable observers.
enum DurableStream: CaseIterable {
    /// The stream of notifications that some durable observer has not handled yet.
    case kept
    /// The stream of copies of notifications that durable observers' handlers refused. Some wait to
    /// be handled again; others were given up.
    case refused

    func name(_ domain: String) -> String {
        switch self {
        case .kept: "SWITCHYARD-" + SubjectMap.token(domain)
        case .refused: "SWITCHYARD_REFUSED-" + SubjectMap.token(domain)
        }
    }

    /// Returns the subject of copies that wait to be handled again by a durable observer.
    static func waiting(_ domain: String, _ durable: String) -> String {
        refusedRoot(domain) + "waiting." + durable
    }

    /// Returns the subject of copies that were given up.
    ///
    /// - Parameter durable: the name of the durable observer; nil for all.
    static func givenUp(_ domain: String, _ durable: String?) -> String {
        refusedRoot(domain) + "refused." + (durable ?? "*")
    }

    static let refusedStart = "_switchyard_refused."

    /// The beginning of all subjects to which streams deliver for durable observers.
    static let deliveryStart = "_SWY.durable."

    private static func refusedRoot(_ domain: String) -> String {
        refusedStart + SubjectMap.token(domain) + "."
    }

    /// The largest number of messages without an answer: those on their way to an observer's
    /// handler, and those that wait for it. Refused messages mostly wait at the server until they
    /// are due.
    var mostUnanswered: Int {
        switch self {
        case .kept: 256
        case .refused: 4_096
        }
    }

    /// Returns the subject of messages without a content, which make the stream pass over numbers.
    func emptySubject(_ domain: String, _ subjects: SubjectMap) -> String {
        switch self {
        case .kept: subjects.empty
        case .refused: Self.refusedRoot(domain) + "empty"
        }
    }

    /// Returns the pattern of the subjects whose messages the stream keeps.
    func subject(_ domain: String, _ subjects: SubjectMap) -> String {
        switch self {
        case .kept: subjects.root + ">"
        case .refused: Self.refusedRoot(domain) + ">"
        }
    }
}
#endif
