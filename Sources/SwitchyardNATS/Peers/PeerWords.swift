// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import Foundation
internal import SwitchyardDistributed

/// What a process says of itself, as JSON.
struct PeerWords: Codable, Sendable {
    struct Interest: Codable, Sendable {
        var name: String?
        var object: String?
    }

    /// What it knows of another.
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
    /// How many notifications it has published.
    var published: UInt64
    /// Those from whom something came; only in an answer to a question.
    var others: [Other]?
    /// Whether these are its last.
    var isLeaving: Bool?

    var peer: DistributedPeer {
        DistributedPeer(
            id: id, processIdentifier: process,
            processName: host == PeerSource.ownHost ? name : "\(name)@\(host)")
    }

    var bytes: [UInt8] { (try? Array(JSONEncoder().encode(self))) ?? [] }

    init(
        _ peer: DistributedPeer, interests: Set<DistributedInterest>, published: UInt64,
        others: [Other]? = nil, isLeaving: Bool? = nil
    ) {
        id = peer.id
        process = peer.processIdentifier
        name = peer.processName
        host = PeerSource.ownHost
        self.interests = interests.map { Interest(name: $0.name, object: $0.object) }
        self.published = published
        self.others = others
        self.isLeaving = isLeaving
    }

    init?(_ bytes: UnsafeRawBufferPointer) {
        guard let words = try? JSONDecoder().decode(PeerWords.self, from: Data(bytes)) else {
            return nil
        }
        self = words
    }
}
#endif
