// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import CSwitchyard
import Foundation
import SwitchyardCore
package import SwitchyardDistributed
import Synchronization

/// A flag that is set once.
final class Flag: Sendable {
    private let value = Atomic<Bool>(false)
    var isSet: Bool { value.load(ordering: .relaxed) }
    func set() { value.store(true, ordering: .relaxed) }
}

/// A member of the mesh that carries out a test's commands, and notes down the notifications that
/// it hears.
package final class Probe: @unchecked Sendable {
    // Sendable: `center` and `tokens` belong to the thread that runs commands, one at a time.
    private var center: DistributedNotificationCenter?
    private var tokens: [String: ObservationToken] = [:]
    private let heard = Board<[String: Board<Heard>]>([:])
    private let losses = Board<[Loss]>([])
    private let problems = Board<[String]>([])
    /// True: gated observers may go on.
    private let isOpen = Board(true)
    private var stream: Stream?
    private let exitsOnLoss = Flag()

    package init(_ center: DistributedNotificationCenter) {
        self.center = center
        center.onLoss { [losses, exitsOnLoss] loss in
            if exitsOnLoss.isSet { exit(0) }
            losses.change {
                $0.append(
                    Loss(
                        process: loss.peer.processIdentifier, name: loss.peer.processName,
                        isIncoming: loss.direction == .incoming, count: loss.count))
            }
        }
        center.onProblem { [problems] problem in
            problems.change { $0.append("\(problem.kind): \(problem)") }
        }
    }

    /// Carries out a command in a program that has no center.
    package static func withoutCenter(_ command: Command) -> Answer {
        var answer = Answer()
        if case .costs = command { answer.costs = try? Costs.current() }
        return answer
    }

    /// Carries out the command, and blocks for as long as that takes.
    package func run(_ command: Command) -> Answer {
        do {
            var answer = Answer()
            try run(command, &answer)
            return answer
        } catch {
            return .failed(error)
        }
    }

    private func run(_ command: Command, _ answer: inout Answer) throws {
        guard let center else { throw ProbeError("it has left") }
        switch command {
        case .observe(let id, let what): observe(id, what, center)
        case .answer(let id, let way): self.answer(id, way, center)
        case .request(let question, let all, let seconds):
            answer.entries = try request(question, all: all, .seconds(seconds), center)
        case .end(let id): tokens.removeValue(forKey: id)?.cancel()
        case .post(let posting): try post(posting, on: center, &answer)
        case .stream(let posting, let minded):
            stream = Stream(posting, on: center, minding: minded)
        case .stopStreaming:
            answer.number = Double(stream?.stop() ?? 0)
            stream = nil
        case .streamed: answer.number = Double(stream?.count ?? 0)
        case .entries(let id, let count):
            answer.entries = board(id).wait { $0.entries.count >= count }.entries
        case .tally(let id, let count):
            answer.tallies = Array(board(id).wait { $0.count >= count }.tallies.values)
        case .tallyUpTo(let id, let numbers):
            let heard = board(id).wait(seconds: 120) { heard in
                numbers.allSatisfy { heard.tallies[$0]?.last ?? 0 >= $1 }
            }
            answer.tallies = Array(heard.tallies.values)
        case .clear(let id): board(id).change { $0 = Heard() }
        case .ready(let seconds):
            answer.peers = center.blockUntilReady(within: .seconds(seconds)).map { Peer($0) }
        case .flush(let seconds):
            answer.peers = center.blockUntilFlushed(within: .seconds(seconds)).map { Peer($0) }
        case .exitOnLoss: exitsOnLoss.set()
        case .gate(let isOpen): self.isOpen.change { $0 = isOpen }
        case .suspend(let isSuspended): center.suspended = isSuspended
        default: try ask(command, center, &answer)
        }
    }

    private func ask(
        _ command: Command, _ center: DistributedNotificationCenter, _ answer: inout Answer
    ) throws {
        switch command {
        case .identity: answer.peers = [Peer(center.ownPeer)]
        case .peers: answer.peers = center.peers.map { Peer($0) }
        case .peersKnown(let count):
            try spin { center.peers.filter { $0.interests != nil }.count >= count }
            answer.peers = center.peers.map { Peer($0) }
        case .peersLeft(let count):
            // Of one look: the system closes the files of a process that ends one after the other, and
            // until its listener's turn has come, this one may connect once more.
            var left = center.peers
            try spin {
                left = center.peers
                return left.count <= count
            }
            answer.peers = left.map { Peer($0) }
        case .ping(let id, let seconds):
            let duration = try ping(id, within: .seconds(seconds), center)
            answer.number =
                duration.map {
                    Double($0.components.seconds) + Double($0.components.attoseconds) / 1e18
                } ?? -1
        case .status(let id, let seconds):
            let peer = try find(id, center)
            let status = block { await center.status(of: peer, within: .seconds(seconds)) }
            guard let status else { throw ProbeError("no answer") }
            answer.peers = status.map { Peer($0) }
        case .losses(let incoming, let outgoing):
            answer.losses = losses.wait { losses in
                losses.filter(\.isIncoming).reduce(0) { $0 + $1.count } >= incoming
                    && losses.filter { !$0.isIncoming }.reduce(0) { $0 + $1.count } >= outgoing
            }
        case .problems(let text):
            answer.texts = problems.wait { text.isEmpty || $0.contains { $0.contains(text) } }
        case .churn(let domain, let times):
            for _ in 0..<times { try Self.comeAndGo(domain) }
            answer.costs = try Costs.current()
        case .leave: leave()
        case .costs: answer.costs = try Costs.current()
        case .fork(let stays): answer.texts = try Forked.run(center, stays: stays)
        case .forkEnding(let domain, let times):
            answer.texts = try Forked.end(times, in: domain, besides: center)
        case .changeFolder(let path): chdir(path)
        case .exec(let program): try becomeAnother(program)
        default: break
        }
    }

    // MARK: - Observing

    private func board(_ id: String) -> Board<Heard> {
        heard.change { boards in
            if boards[id] == nil { boards[id] = Board(Heard()) }
        }
        return heard.current[id] ?? Board(Heard())
    }

    private func observe(_ id: String, _ what: Observing, _ center: DistributedNotificationCenter) {
        let board = board(id)
        let (isGated, isOpen, onlyCounts) = (what.isGated, isOpen, what.onlyCounts)
        let endsProcess = what.endsProcess
        @Sendable func note(_ entry: Entry) {
            if isGated { isOpen.wait { $0 } }
            board.change { $0.note(entry, onlyCounts: onlyCounts) }
            if endsProcess {
                center.post(name: Notification.Name("GONE"), object: nil)
                exit(0)
            }
        }
        var options = ObservationOptions()
        options.replaysLatest = what.hearsLatest
        options.group = what.group
        let behavior = what.behavior.flatMap(
            DistributedNotificationCenter.SuspensionBehavior.init(rawValue:))
        if let behavior { options.suspensionBehavior = behavior }
        let context = what.onPoster ? DeliveryContext.poster : .standard
        let name = what.name.map { Notification.Name($0) }
        tokens[id] =
            switch what.kind {
            case .undecoded:
                center.observe(undecoded: name, of: what.object, on: context, options: options) {
                    note(try Entry($0))
                }
            case .notification:
                center.observe(name, of: what.object, on: context, options: options) {
                    note(Entry($0))
                }
            case .message:
                center.observe(Sample.self, of: what.object, on: context, options: options) {
                    note(Entry(name: $0.text, number: $0.number, thread: currentThread))
                }
            }
    }

    private func answer(
        _ id: String, _ way: Answering, _ center: DistributedNotificationCenter
    ) {
        let (board, isOpen) = (board(id), isOpen)
        tokens[id] = center.answer(Question.self, on: .poster) { question in
            board.change {
                $0.note(Entry(name: "question", number: question.number), onlyCounts: false)
            }
            switch way {
            case .atOnce: break
            case .gated: isOpen.wait { $0 }
            case .exiting: exit(0)
            case .crashing: raise(SIGKILL)
            }
            return Question.Reply(number: question.number * question.number, process: getpid())
        }
    }

    private func request(
        _ question: Question, all: Bool, _ limit: Duration, _ center: DistributedNotificationCenter
    ) throws -> [Entry] {
        do {
            let replies =
                all
                ? try center.request(question, .all, within: limit)
                : [try center.request(question, within: limit)]
            return replies.map { Entry(name: "reply", number: $0.number, process: $0.process) }
        } catch {
            throw ProbeError("\(error.code)")
        }
    }

    /// Makes a center that hears itself and another, and lets it go.
    private static func comeAndGo(_ domain: String) throws {
        let center = try DistributedNotificationCenter(domain: domain)
        let token = center.observe(undecoded: nil, on: .poster) { _ in }
        center.blockUntilReady(within: .seconds(60))
        _ = try center.post(name: Notification.Name("Churn"), payload: .none)
        center.blockUntilFlushed(within: .seconds(60))
        token.cancel()
    }

    private func leave() {
        isOpen.change { $0 = true }
        tokens = [:]
        _ = stream?.stop()
        stream = nil
        center = nil
    }

    // MARK: - Asking

    private func find(
        _ id: String, _ center: DistributedNotificationCenter
    ) throws -> DistributedPeer {
        guard let peer = center.peers.first(where: { $0.peer.id == id })?.peer else {
            throw ProbeError("no peer \(id)")
        }
        return peer
    }

    private func ping(
        _ id: String, within limit: Duration, _ center: DistributedNotificationCenter
    ) throws -> Duration? {
        let peer = try find(id, center)
        return block { await center.ping(peer, within: limit) }
    }
}

struct ProbeError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
