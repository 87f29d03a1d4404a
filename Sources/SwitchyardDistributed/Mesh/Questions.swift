// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
internal import Foundation

/// Questions to peers that are not answered yet. Guard: the mesh's lock.
struct Questions {
    typealias Answer = @Sendable ([UInt8]?) -> Void

    private struct Question {
        /// The connection on which it was asked.
        let token: UInt64
        let answer: Answer
    }

    private var last: UInt64 = 0
    private var open: [UInt64: Question] = [:]

    /// A number for a question that is asked on a connection, and who takes the answer.
    mutating func add(on token: UInt64, _ answer: @escaping Answer) -> UInt64 {
        last += 1
        open[last] = Question(token: token, answer: answer)
        return last
    }

    /// Who takes the answer to a question; nil when it was not asked on the connection `token`.
    ///
    /// - Parameter token: nil: whoever was asked.
    mutating func take(_ number: UInt64, on token: UInt64?) -> Answer? {
        if let token, open[number]?.token != token { return nil }
        return open.removeValue(forKey: number)?.answer
    }

    /// Those to which no answer can come any more, because their connection has ended.
    mutating func takeAll(on token: UInt64) -> [Answer] {
        if open.isEmpty { return [] }
        let numbers = open.filter { $0.value.token == token }.map(\.key)
        return numbers.compactMap { take($0, on: nil) }
    }

    mutating func takeAll() -> [Answer] {
        defer { open = [:] }
        return open.values.map(\.answer)
    }
}

extension Mesh {
    func ping(_ peer: DistributedPeer, within limit: Duration) async -> Duration? {
        let start = switchyard_now()
        guard await ask(.ping, peer, within: limit) != nil else { return nil }
        return .nanoseconds(Int64(switchyard_now() - start))
    }

    func status(
        of peer: DistributedPeer, within limit: Duration
    ) async -> [DistributedPeerStatus]? {
        guard let bytes = await ask(.status, peer, within: limit) else { return nil }
        return DistributedPeerStatus.read(bytes)
    }

    /// - Returns: What the peer answered; nil when nothing came in time.
    private func ask(
        _ type: FrameType, _ peer: DistributedPeer, within limit: Duration
    ) async -> [UInt8]? {
        if isForkedReported { return nil }
        let (answers, answer) = AsyncStream.makeStream(of: [UInt8]?.self)
        let number: UInt64? = state.withLock { state in
            guard let outlet = state.outlets.values.first(where: { $0.knownPeer.id == peer.id })
            else { return nil }
            let number = state.questions.add(on: outlet.token) {
                answer.yield($0)
                answer.finish()
            }
            var frame = ByteWriter()
            frame.frame(type, number)
            frame.withBytes { write($0, to: outlet, &state) }
            return number
        }
        guard let number else { return nil }
        let clock = Task {
            try await Task.sleep(for: limit)
            take(answer: nil, to: number)
        }
        defer { clock.cancel() }
        for await answer in answers { return answer }
        take(answer: nil, to: number)
        return nil
    }

    /// - Parameter outlet: on which the answer came; nil: it is given up.
    func take(answer: [UInt8]?, to number: UInt64, on outlet: Outlet? = nil) {
        state.withLock { $0.questions.take(number, on: outlet?.token) }?(answer)
    }

    func takeReport(_ frame: UnsafeRawBufferPointer, from outlet: Outlet) throws {
        var reader = ByteReader(frame)
        let number = try reader.readUInt64()
        let answer = Array(try reader.readBytes(count: reader.remaining))
        take(answer: answer, to: number, on: outlet)
    }

    func reportStatus(_ number: UInt64, to inlet: Inlet) {
        var frame = ByteWriter()
        let report = DistributedPeerStatus.write(peers)
        frame.frame(.report) { writer in
            writer.append(number)
            report.withUnsafeBytes { writer.append(bytes: $0) }
        }
        state.withLock { state in frame.withBytes { write($0, to: inlet, &state) } }
    }

    var peers: [DistributedPeerStatus] {
        // Arrays of what may be many interests are made without the lock.
        statuses.map { status, interests in
            var status = status
            status.interests = interests.map(Array.init)
            return status
        }
    }

    private var statuses: [(DistributedPeerStatus, interests: Set<DistributedInterest>?)] {
        state.withLock { state in
            let inlets = Dictionary(
                state.inlets.values.compactMap { inlet in inlet.peer.map { ($0.id, inlet) } },
                uniquingKeysWith: { first, _ in first })
            return state.outlets.values.sorted { $0.token < $1.token }.map { outlet in
                let peer = outlet.knownPeer
                let inlet = inlets[peer.id]
                let backlog = state.backlogs[outlet.address]
                let status = DistributedPeerStatus(
                    peer: peer, interests: nil, sent: outlet.counts.sent,
                    queuedBytes: outlet.queue.count + (backlog?.frames.count ?? 0),
                    lost: outlet.counts.lost + (backlog?.lostInAll ?? 0),
                    received: inlet?.received ?? 0, missed: inlet?.missed ?? 0)
                return (status, outlet.hasSaidWhatItWants ? outlet.wanted.all : nil)
            }
        }
    }
}

extension DistributedPeerStatus {
    /// The statuses as a property list.
    static func write(_ statuses: [DistributedPeerStatus]) -> [UInt8] {
        let peers = statuses.map { status -> [String: Any] in
            [
                "id": status.peer.id, "process": Int(status.peer.processIdentifier),
                "name": status.peer.processName, "sent": Int(clamping: status.sent),
                "lost": Int(clamping: status.lost), "queued": status.queuedBytes,
                "received": Int(clamping: status.received),
                "missed": Int(clamping: status.missed),
            ]
        }
        return (try? DistributedPayload(userInfo: ["peers": peers]))?.bytes ?? []
    }

    static func read(_ bytes: [UInt8]) -> [DistributedPeerStatus]? {
        let info = try? DistributedPayload(.propertyList, bytes).userInfo
        return (info?["peers"] as? [Any])?.compactMap { $0 as? [AnyHashable: Any] }.map { peer in
            func number(_ key: String) -> UInt64 { UInt64(clamping: peer[key] as? Int ?? 0) }
            return DistributedPeerStatus(
                peer: DistributedPeer(
                    id: peer["id"] as? String ?? "?",
                    processIdentifier: Int32(clamping: peer["process"] as? Int ?? 0),
                    processName: peer["name"] as? String ?? "?"),
                interests: nil, sent: number("sent"), queuedBytes: Int(number("queued")),
                lost: number("lost"), received: number("received"), missed: number("missed"))
        }
    }
}
