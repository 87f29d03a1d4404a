// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
internal import Foundation
internal import SwitchyardCore
internal import SwitchyardWire

// Questions to peers, and what is known of them here.

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

    /// Asks a peer.
    ///
    /// - Returns: The peer's answer; nil if none came in time.
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
        let limit = WaitLimit(after: limit) { self.take(answer: nil, to: number) }
        defer { limit.cancel() }
        for await answer in answers { return answer }
        take(answer: nil, to: number)
        return nil
    }

    /// Ends a question with an answer.
    ///
    /// - Parameter outlet: The connection on which the answer came; nil if the question is given
    ///   up.
    func take(answer: [UInt8]?, to number: UInt64, on outlet: Outlet? = nil) {
        state.withLock { $0.questions.take(number, on: outlet?.token) }?(answer)
    }

    func takeReport(_ frame: UnsafeRawBufferPointer, from outlet: Outlet) throws {
        var reader = ByteReader(frame)
        let number = try reader.readUInt64()
        let answer = Array(try reader.readBytes(count: reader.remaining))
        take(answer: answer, to: number, on: outlet)
    }

    /// The queue for reports that come later, and for those about peers that the system has to be
    /// asked about. That takes long, and the thread that reads delivers notifications, too.
    private static let slowReports = DispatchQueue(label: "org.switchyard.reports")

    /// Answers STATUS: at once, or together with others that follow at once.
    func reportStatus(_ number: UInt64, to inlet: Inlet) {
        guard let pause = state.withLock({ _ in inlet.statusQuestions.add(number) }) else { return }
        if pause == 0 { reportStatus(to: inlet) } else { reportStatus(to: inlet, after: pause) }
    }

    private func reportStatus(to inlet: Inlet, after pause: UInt64) {
        Self.slowReports.asyncAfter(deadline: .now() + .nanoseconds(Int(pause))) { [self] in
            reportStatus(to: inlet)
        }
    }

    private func reportStatus(to inlet: Inlet) {
        // Taken first: a question that comes later has an answer that is made later.
        let (numbers, areMore) = state.withLock { _ in inlet.statusQuestions.take() }
        if areMore { reportStatus(to: inlet, after: StatusQuestions.pause) }
        let statuses = statuses.map(\.0)
        if statuses.allSatisfy({ knownPeer(for: $0.peer) != nil }) {
            report(statuses, numbers, to: inlet)
        } else {
            Self.slowReports.async { [self] in report(statuses, numbers, to: inlet) }
        }
    }

    private func report(_ statuses: [DistributedPeerStatus], _ numbers: [UInt64], to inlet: Inlet) {
        var frames = ByteWriter()
        let report = DistributedPeerStatus.write(statuses.map(withIdentifiedPeer))
        for number in numbers {
            frames.frame(.report) { writer in
                writer.append(number)
                report.withUnsafeBytes { writer.append(bytes: $0) }
            }
        }
        state.withLock { state in frames.withBytes { write($0, to: inlet, &state) } }
    }

    var peers: [DistributedPeerStatus] {
        // A forked child has no peers, and the lock may be held by a thread of its parent.
        if isForked { return [] }
        // Build the arrays without the lock: there may be many interests.
        return statuses.map { status, interests in
            var status = withIdentifiedPeer(status)
            status.interests = interests?.filter { !$0.isForCenters }
            return status
        }
    }

    private func withIdentifiedPeer(_ status: DistributedPeerStatus) -> DistributedPeerStatus {
        var status = status
        status.peer = identifiedPeer(for: status.peer)
        return status
    }

    private var statuses: [(DistributedPeerStatus, interests: Set<DistributedInterest>?)] {
        state.withLock { state in
            let inlets = Dictionary(
                state.inlets.values.compactMap { inlet in inlet.peer.map { ($0.id, inlet) } },
                uniquingKeysWith: { first, _ in first })
            // Members that are there and don't answer: their queues of incoming connections are
            // full.
            let unreached = state.backlogs.filter { address, backlog in
                backlog.isAwaited && backlog.peer == nil && state.outlets[address] == nil
            }.map { address, backlog in
                let status = DistributedPeerStatus(
                    peer: backlog.knownPeer(at: address), interests: nil,
                    queuedBytes: backlog.frames.count, lost: backlog.lostInAll)
                return (status, Set<DistributedInterest>?.none)
            }
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
            } + unreached
        }
    }
}

extension DistributedPeerStatus {
    /// Returns the statuses as an encoded property list.
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
