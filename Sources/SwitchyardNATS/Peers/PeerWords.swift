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

    /// Whether it says what may be too much for one message.
    var isLong: Bool { !interests.isEmpty || others != nil }

    /// That there is somebody is more than nothing.
    var withoutLists: PeerWords {
        var words = self
        words.interests = []
        words.others = nil
        return words
    }

    /// Whether a text is what a process of ours has as its id.
    static func isID(_ text: String) -> Bool {
        text.utf8.count == 16
            && Array(text.utf8).withUnsafeBytes { bytes in
                bytes.baseAddress.flatMap { HexDigits.read16($0) } != nil
            }
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
        // It becomes part of subjects.
        guard Self.isID(words.id) else { return nil }
        self = words
    }
}
#endif
