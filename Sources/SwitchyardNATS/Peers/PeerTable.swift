// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import CNATS
internal import SwitchyardDistributed

/// The other processes of a domain, as far as they have said something, and questions to them. Guard: the
/// transport's lock.
///
/// Each listens to what concerns all (`_switchyard.DOMAIN.all`), and to what is for it alone
/// (`_switchyard.DOMAIN.ID.…`). Who comes greets all, and all answer. A question to one that has gone is
/// answered by the server, at once: nobody is there.
struct PeerTable: ~Copyable {
    /// Where all are spoken to.
    let everybody: String
    private let domain: String
    private let id: String
    private(set) var known: [String: PeerWords] = [:]
    private var lastQuestion: UInt64 = 0
    private var questions: [UInt64: (PeerWords?) -> Void] = [:]
    var subscriptions: [PeerSubscription] = []
    /// Those that were there when the connection broke, and have not been heard of since.
    private(set) var awaited: Set<String> = []

    init(domain: String, id: String) {
        self.domain = "_switchyard." + SubjectMap.token(domain) + "."
        self.id = id
        everybody = self.domain + "all"
    }

    /// What is for one process, whatever it is.
    func subject(of id: String) -> String { domain + id + ".>" }

    /// Where a process is asked.
    func questionSubject(of id: String) -> String { domain + id + ".ask" }

    /// Where an answer to a question of this process goes.
    func answerSubject(_ number: UInt64) -> String { "\(domain)\(id).answer.\(number)" }

    /// Which question of this process an answer is to.
    func number(ofAnswer subject: String) -> UInt64? {
        let start = "\(domain)\(id).answer."
        return subject.hasPrefix(start) ? UInt64(subject.dropFirst(start.count)) : nil
    }

    mutating func add(question answer: @escaping (PeerWords?) -> Void) -> UInt64 {
        lastQuestion += 1
        questions[lastQuestion] = answer
        return lastQuestion
    }

    mutating func take(question number: UInt64) -> ((PeerWords?) -> Void)? {
        questions.removeValue(forKey: number)
    }

    mutating func takeAllQuestions() -> [(PeerWords?) -> Void] {
        defer { questions = [:] }
        return Array(questions.values)
    }

    /// Takes note of what a process says of itself.
    mutating func hear(_ words: PeerWords) {
        if words.id == id { return }
        awaited.remove(words.id)
        if words.isLeaving == true { known[words.id] = nil } else { known[words.id] = words }
    }

    mutating func forget(_ id: String) {
        known[id] = nil
        awaited.remove(id)
    }

    /// The connection has broken, and theirs may have with it.
    mutating func awaitAll() { awaited = Set(known.keys) }

    mutating func awaitNobody() { awaited = [] }
}
#endif
