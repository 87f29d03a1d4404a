// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import Foundation
internal import SwitchyardDistributed

/// The announcement of a process, as JSON.
struct PeerAnnouncement: Codable, Sendable {
    struct Interest: Codable, Sendable {
        var name: String?
        var object: String?
    }

    /// The sums of one process about another, from which it has received notifications.
    struct Other: Codable, Sendable {
        var id: String
        var process: Int32
        var name: String
        var received: UInt64
        var missed: UInt64
    }

    var id: String
    var process: Int32
    var name: String
    var host: String
    var interests: [Interest]
    /// The number of notifications that the process has posted.
    var published: UInt64
    /// The processes from which notifications came; only in an answer to a question.
    var others: [Other]?
    /// Whether the process is leaving, so that this is its last announcement.
    var isLeaving: Bool?
    /// Whether the process knows of a stream that keeps the domain's posts.
    var keeps: Bool?
    /// The number of the announcement: one of a smaller number that comes later is out of date.
    var version: UInt64?

    var peer: DistributedPeer {
        DistributedPeer(
            id: id, processIdentifier: process,
            processName: host == PeerSource.ownHost ? name : "\(name)@\(host)")
    }

    /// The announcement with shorter lists, or none. Better than nothing when the whole is too long
    /// for one message; nil if it has none.
    var shorter: PeerAnnouncement? {
        if interests.isEmpty, others == nil { return nil }
        var short = self
        short.interests = interests.filter {
            DistributedInterest(name: $0.name, object: $0.object).isAnnounced
        }
        if others == nil, short.interests.count == interests.count { short.interests = [] }
        short.others = nil
        return short
    }

    /// Returns whether a text has the form of a Switchyard process's id.
    static func isID(_ text: String) -> Bool {
        text.utf8.count == 16
            && Array(text.utf8).withUnsafeBytes { bytes in
                bytes.baseAddress.flatMap { HexDigits.read16($0) } != nil
            }
    }

    var bytes: [UInt8] { (try? Array(JSONEncoder().encode(self))) ?? [] }

    init(
        _ peer: DistributedPeer, interests: Set<DistributedInterest>, published: UInt64,
        others: [Other]? = nil, isLeaving: Bool? = nil, keeps: Bool? = nil, version: UInt64? = nil
    ) {
        id = peer.id
        process = peer.processIdentifier
        name = peer.processName
        host = PeerSource.ownHost
        self.interests = interests.map { Interest(name: $0.name, object: $0.object) }
        self.published = published
        self.others = others
        self.isLeaving = isLeaving
        self.keeps = keeps
        self.version = version
    }

    init?(_ bytes: UnsafeRawBufferPointer) {
        guard let announcement = try? JSONDecoder().decode(PeerAnnouncement.self, from: Data(bytes))
        else {
            return nil
        }
        // Checked because the id becomes part of subjects.
        guard Self.isID(announcement.id) else { return nil }
        self = announcement
    }
}
#endif
