// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

@_spi(Engine) internal import Switchyard
@_spi(Engine) internal import SwitchyardCore

/// Requests between processes: one that is asked here goes to the processes that answer it, and
/// theirs are asked here.
///
/// The one who asks waits for each process that got the request, until that process says that it is
/// done, or has gone. A process sends each answer as it is given, and says that it is done when no
/// other can come. A request that is over sooner, because there are enough answers or the time is
/// up, is ended where it is still being asked.
final class RequestExchange: Sendable {
    struct State: Sendable {
        /// The way to other processes; nil if there is none.
        var sender: CenterSender?
        var lastNumber: UInt64 = 0
        /// The requests of this process that others have been asked, by number.
        var outgoing: [UInt64: RemoteAnswers] = [:]
        /// Whether a task looks after the processes that are waited for.
        var isLookedAfter = false
        /// The requests of other processes that are asked here.
        var incoming: [RequestKey: RemoteRequest] = [:]
        /// The askers for requests of each name: one for each type that was ever answered here.
        var askers: [String: [LocalAsker]] = [:]
    }

    let engine: NotificationEngine
    private let interest: LocalInterest
    let state = Guarded(State())

    init(_ engine: NotificationEngine, _ interest: LocalInterest) {
        self.engine = engine
        self.interest = interest
    }

    /// Connects with other processes.
    func connect(_ sender: CenterSender) { state.withLock { $0.sender = sender } }

    /// Ends what is under way: the center has ended.
    func disconnect() {
        let (outgoing, incoming) = state.withLock { state in
            defer { state = State() }
            return (Array(state.outgoing.values), Array(state.incoming.values))
        }
        for request in outgoing { request.endAll() }
        for request in incoming { request.end() }
    }

    /// Told that somebody is about to be registered who answers requests of a type.
    func willAnswer<Request: DistributedRequest>(_ type: Request.Type, _ topic: Topic) {
        let name = Request.name.rawValue
        if let problem = LocalInterest.problem(ofRequest: name) {
            return engine.report(DeliveryProblem(.notDistributable, problem))
        }
        // Before the caller's registration in each case, because that one may be the first.
        defer { interest.addRequest(name, topic) }
        state.withLock { state in
            if state.askers[name]?.contains(where: { $0.type == ObjectIdentifier(type) }) == true {
                return
            }
            state.askers[name, default: []].append(LocalAsker(type))
        }
    }

    /// Takes a notification of another center about requests.
    ///
    /// - Returns: False if it is about something else.
    func take(_ info: [AnyHashable: Any], from message: ReceivedMessage) -> Bool {
        if message.topic.name == CenterNames.answers {
            if let answer = RequestFrame.Answer(info) {
                outgoing(answer.number)?.take(answer, from: message.sender)
            } else if let done = RequestFrame.Done(info) {
                outgoing(done.number)?.take(done, from: message.sender)
            } else {
                return false
            }
        } else if let request = RequestFrame.Ask(info) {
            ask(request, named: message.topic.object ?? "", from: message.sender)
        } else if let over = RequestFrame.Over(info) {
            let key = RequestKey(process: message.sender.id, number: over.number)
            state.withLock { $0.incoming[key] }?.end()
        } else {
            return false
        }
        return true
    }

    private func outgoing(_ number: UInt64) -> RemoteAnswers? {
        state.withLock { $0.outgoing[number] }
    }

    /// Takes note that a process has gone: nothing is expected from it, and its own requests are
    /// over.
    func hasGone(_ process: String) {
        let (outgoing, incoming) = state.withLock { state in
            (
                Array(state.outgoing.values),
                state.incoming.filter { $0.key.process == process }.map(\.value)
            )
        }
        for request in outgoing { request.processHasGone(process) }
        // Without a word: should the process be there after all, its time limit ends the request.
        for request in incoming { request.abandon() }
    }
}

/// A request of another process: its number there.
struct RequestKey: Sendable, Hashable {
    let process: String
    let number: UInt64
}
