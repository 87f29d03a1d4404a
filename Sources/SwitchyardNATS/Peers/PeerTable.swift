// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import CNATS
internal import SwitchyardDistributed

/// The other processes of a domain that have announced themselves, and the open questions to them.
/// Guard: the transport's lock.
///
/// Each process subscribes to a subject for all (`_switchyard.DOMAIN.all`) and to subjects of its
/// own (`_switchyard.DOMAIN.ID.…`). A process that connects greets all others, and all answer. The
/// server answers a question to a process that has gone, at once, with "no responders".
struct PeerTable: ~Copyable {
    /// The subject of messages to all processes.
    let everybody: String
    private let domain: String
    private let id: String
    private(set) var known: [String: PeerAnnouncement] = [:]
    /// The number of known processes at which each is asked whether it is still there, because a
    /// killed process does not say that it leaves; nil while they are being asked.
    private var nextRollCall: Int? = Self.firstRollCall
    private static let firstRollCall = 512
    private var lastQuestion: UInt64 = 0
    private var questions: [UInt64: @Sendable (PeerAnnouncement?) -> Void] = [:]
    /// The subscriptions to messages of other processes, on the current session.
    var subscriptions: [CallbackSubscription] = []
    /// Whether this process has said that it leaves: it announces itself no more.
    var hasLeft = false
    /// The processes that were known when the connection broke, and have not been heard of since.
    private(set) var awaited: Set<String> = []
    /// The token of the last session that broke.
    private var lastBroken: UInt64 = 0
    /// The processes that were heard before the connection broke, and have not announced themselves
    /// on the session with this token.
    private var doubts: (session: UInt64, peers: [String: DistributedPeer]) = (0, [:])
    /// The number of the latest announcement of each process; the largest of all if it has left.
    private var versions = RecentDictionary<String, UInt64>(capacity: 4096)
    /// Whether a process said that it leaves, has gone, or was reported as not back. False if it
    /// announced itself, or came again; a process that is missing here has never announced itself.
    private var gone = RecentDictionary<String, Bool>(capacity: 4096)

    init(domain: String, id: String) {
        self.domain = "_switchyard." + SubjectMap.token(domain) + "."
        self.id = id
        everybody = self.domain + "all"
    }

    /// Returns the pattern of all subjects of one process.
    func subject(of id: String) -> String { domain + id + ".>" }

    /// Returns the subject of questions to a process.
    func questionSubject(of id: String) -> String { domain + id + ".ask" }

    /// Returns the subject of the answer to a question of this process.
    func answerSubject(_ number: UInt64) -> String { "\(domain)\(id).answer.\(number)" }

    /// Returns the number of the question that a subject answers; nil for any other subject.
    func number(ofAnswer subject: String) -> UInt64? {
        let start = "\(domain)\(id).answer."
        return subject.hasPrefix(start) ? UInt64(subject.dropFirst(start.count)) : nil
    }

    mutating func add(question answer: @escaping @Sendable (PeerAnnouncement?) -> Void) -> UInt64 {
        lastQuestion += 1
        questions[lastQuestion] = answer
        return lastQuestion
    }

    mutating func take(question number: UInt64) -> (@Sendable (PeerAnnouncement?) -> Void)? {
        questions.removeValue(forKey: number)
    }

    mutating func takeAllQuestions() -> [@Sendable (PeerAnnouncement?) -> Void] {
        defer { questions = [:] }
        return Array(questions.values)
    }

    /// Records the announcement of a process.
    ///
    /// - Returns: False for one of this process, and for one that is out of date: libnats has
    ///   several threads that bring announcements.
    mutating func receive(_ announcement: PeerAnnouncement) -> Bool {
        if announcement.id == id { return false }
        let version = announcement.isLeaving == true ? .max : announcement.version ?? 0
        let latest = versions.peek(announcement.id) ?? 0
        if version < latest || latest == .max { return false }
        versions.set(announcement.id, version)
        awaited.remove(announcement.id)
        doubts.peers[announcement.id] = nil
        if announcement.isLeaving == true {
            known[announcement.id] = nil
            gone.set(announcement.id, true)
        } else {
            known[announcement.id] = announcement
            gone.set(announcement.id, false)
        }
        return true
    }

    /// Returns the processes to ask whether they are still there; none most of the time.
    mutating func beginRollCall() -> [String] {
        guard let limit = nextRollCall, known.count >= limit else { return [] }
        nextRollCall = nil
        return Array(known.keys)
    }

    /// Has the next questions wait until twice as many processes are known as live.
    mutating func endRollCall() { nextRollCall = max(Self.firstRollCall, 2 * known.count) }

    /// Returns the processes that have announced this interest.
    func hearers(of interest: DistributedInterest) -> [DistributedPeer] {
        known.values.filter { announcement in
            announcement.interests.contains {
                $0.object == interest.object && $0.name == interest.name
            }
        }.map(\.peer)
    }

    mutating func forget(_ id: String) {
        known[id] = nil
        awaited.remove(id)
        // Without doubts, the process has gone before any break of the connection. During the
        // doubts after a break, it stays doubtful.
        if doubts.peers[id] == nil { gone.set(id, true) }
    }

    /// Waits for all known processes: the session with a token has broken, and theirs may have
    /// with it.
    mutating func awaitAll(sinceBreakOf session: UInt64) {
        awaited = Set(known.keys)
        lastBroken = session
    }

    /// Forgets processes that did not come back; they count as gone until they announce themselves.
    /// Does nothing if the session with a token, which waited for them, has broken: the next one
    /// waits for them.
    mutating func awaitNobody(on session: UInt64) {
        if session <= lastBroken { return }
        for id in awaited { known[id] = nil }
        awaited = []
    }

    /// Doubts that processes are still there, on a new session, until they announce themselves.
    /// Does not doubt those that have gone for certain, nor those that have never announced
    /// themselves.
    mutating func doubt(_ heard: [DistributedPeer], on session: UInt64) {
        var peers: [String: DistributedPeer] = [:]
        for peer in heard where gone.peek(peer.id) == false { peers[peer.id] = peer }
        doubts = (session, peers)
    }

    /// Whether there are processes that have not announced themselves on a session.
    func hasDoubts(on session: UInt64) -> Bool {
        doubts.session == session && !doubts.peers.isEmpty
    }

    /// The ids of the processes that have not announced themselves on a session.
    func doubted(on session: UInt64) -> [String] {
        doubts.session == session ? Array(doubts.peers.keys) : []
    }

    /// Returns the processes that have not announced themselves on a session. They count as gone
    /// until they do.
    mutating func takeDoubts(on session: UInt64) -> [DistributedPeer] {
        guard doubts.session == session else { return [] }
        defer { doubts.peers = [:] }
        for id in doubts.peers.keys { gone.set(id, true) }
        return doubts.peers.values.sorted { $0.id < $1.id }
    }
}
#endif
