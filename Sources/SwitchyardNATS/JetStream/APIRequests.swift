// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
/// Requests to JetStream that have not been answered. Guard: the lock of `JetStreamAPI`.
///
/// libnats's own calls wait to the end of their time limit even when the server refuses them, and
/// can't be ended. Answers to these requests come under the subjects where other processes of the
/// domain answer too (`PeerTable`).
struct APIRequests: Sendable {
    typealias Answer = @Sendable (Result<[UInt8], NATSError>) -> Void

    private struct Request: Sendable {
        let subject: String
        let answer: Answer
    }

    /// The prefix of the subjects of answers, without the request's number.
    private let prefix: String
    private var last: UInt64 = 0
    private var open: [UInt64: Request] = [:]

    init(domain: String, id: String) {
        // Whoever may publish in the domain knows the id, and could answer in the server's place.
        let secret = HexDigits.text16(UInt64.random(in: 0 ... .max))
        prefix = "_switchyard.\(SubjectMap.token(domain)).\(id).api-\(secret)."
    }

    /// - Returns: The request's number, and the subject of its answer.
    mutating func add(
        _ subject: String, _ answer: @escaping Answer
    ) -> (number: UInt64, reply: String) {
        last += 1
        open[last] = Request(subject: subject, answer: answer)
        return (last, prefix + String(last))
    }

    /// Returns the number of the request that an answer's subject names; nil for any other subject.
    func number(ofAnswer subject: String) -> UInt64? {
        subject.hasPrefix(prefix) ? UInt64(subject.dropFirst(prefix.count)) : nil
    }

    /// Whether a request has no answer yet.
    func isOpen(_ number: UInt64) -> Bool { open[number] != nil }

    mutating func take(_ number: UInt64) -> Answer? { open.removeValue(forKey: number)?.answer }

    /// Removes the requests to a subject to which this process may not publish.
    mutating func take(refused subject: RefusedSubject) -> [Answer] {
        let refused = open.filter { subject.covers($0.value.subject) }
        for number in refused.keys { open[number] = nil }
        return refused.values.map(\.answer)
    }

    mutating func takeAll() -> [Answer] {
        defer { open = [:] }
        return open.values.map(\.answer)
    }
}
#endif
