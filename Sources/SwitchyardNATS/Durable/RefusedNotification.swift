// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
public import Foundation
public import SwitchyardDistributed

/// A notification that a durable observer's handler refused so often that it was given up.
public struct RefusedNotification: Sendable, Identifiable {
    /// The notification's number among the domain's refused ones.
    public let id: UInt64
    /// The name of the durable observer that refused it.
    public let durable: String
    /// The name under which it was posted.
    public let name: Notification.Name
    /// The object that it is about.
    public let object: String?
    /// The payload, as it was sent.
    public let payload: DistributedPayload
    /// The process that posted it.
    public let sender: DistributedPeer
    /// The notification's number in the stream of kept notifications, as the handler saw it.
    public let sequence: UInt64
    /// The number of deliveries.
    public let deliveryCount: Int
    /// The last error that the handler threw, as text.
    public let error: String
    /// The headers of the copy in the stream.
    let headers: [(name: String, value: String)]
    let data: [UInt8]

    /// Reads a refused notification; nil if the message is none.
    ///
    /// - Parameter message: the message in JetStream's answer.
    init?(_ message: [String: Any], _ subjects: SubjectMap) {
        guard let id = message["seq"] as? UInt64, let copySubject = message["subject"] as? String,
            let durable = copySubject.split(separator: ".").last
        else { return nil }
        self.id = id
        self.durable = String(durable)
        data =
            (message["data"] as? String).flatMap { Data(base64Encoded: $0) }.map { Array($0) } ?? []
        let block = (message["hdrs"] as? String).flatMap { Data(base64Encoded: $0) } ?? Data()
        let headers = Self.headers(String(decoding: block, as: UTF8.self))
        self.headers = headers
        func header(_ name: String) -> String? {
            headers.first { $0.name.lowercased() == name }?.value
        }
        guard let subject = header(RefusedHeaders.subject).flatMap({ SubjectMap.unescape($0) }),
            let topic = subjects.parse(subject)
        else { return nil }
        name = Notification.Name(topic.name)
        object = topic.object
        let type = header(EventHeaders.contentType) ?? header("content-type")
        payload = data.withUnsafeBytes {
            EventData.payload(EventKind(contentType: type, $0), $0)
        }
        sender = PeerSource.peer(header(EventHeaders.source), id: nil)
        sequence = header(RefusedHeaders.sequence).flatMap { UInt64($0) } ?? 0
        deliveryCount = AckReply.count(header(RefusedHeaders.tries).flatMap { Int($0) } ?? 0)
        error = header(RefusedHeaders.error).flatMap { SubjectMap.unescape($0) } ?? ""
    }

    /// Returns the headers in a NATS header block, without the block's first line.
    private static func headers(_ block: String) -> [(name: String, value: String)] {
        block.split(separator: "\r\n").dropFirst().compactMap { line in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            return (String(line[..<colon]), String(value))
        }
    }

    /// The headers of a copy to be posted again. They leave out the refusals, because the observer
    /// has not refused that copy yet.
    var headersAgain: [(name: String, value: String)] {
        let ended = [
            RefusedHeaders.isAgain, RefusedHeaders.refusals, RefusedHeaders.until,
            RefusedHeaders.error,
        ]
        return headers.filter { !ended.contains($0.name) && RefusedHeaders.isCopied($0.name) }
            + [
                (RefusedHeaders.isAgain, "true"),
                // Has the stream drop a second copy, which another process posts at the same time.
                (RefusedHeaders.identity, "switchyard-again-\(id)"),
            ]
    }
}
#endif
