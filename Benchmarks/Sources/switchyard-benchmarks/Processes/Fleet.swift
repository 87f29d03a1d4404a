// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import BenchmarkHarness
internal import Foundation

/// A process that posts, processes that receive, and the server between them: started together, and
/// idle until they are measured.
final class Fleet {
    private let name: String
    private let server: Server?
    private let poster: Child
    private let receivers: [Child]
    /// The number that tells the messages of one measurement from those of another.
    private var round: Int64 = 0
    private var losses = Losses()

    init(
        _ name: String, _ transport: Transport, _ program: ServerProgram?, receivers count: Int,
        _ placement: Placement
    ) {
        self.name = name
        let folder = Workspace.newFolder()
        server = program.map { Server($0, in: folder, placement) }
        let address = server?.address ?? folder + "/poster"
        func child(receivers: Int) -> Child {
            Child(
                ChildArguments(
                    transport: transport, address: address, folder: folder, receivers: receivers,
                    placement: placement), name)
        }
        // The poster starts first: receivers of a bare stream connect to it.
        poster = child(receivers: count)
        poster.waitUntilReady()
        self.receivers = (0..<count).map { _ in child(receivers: 0) }
        for receiver in self.receivers { receiver.waitUntilReady() }
    }

    /// A workload of the fleet, with its losses.
    func workload(
        _ repeats: Workload.Repeats, measure: @escaping (Fleet, Int) -> Double
    ) -> Workload {
        Workload(
            repeats: repeats, measure: { measure(self, $0) }, losses: { self.losses },
            finish: { self.stop() })
    }

    /// The median time, in microseconds, of a message and its answer.
    func roundTrip(_ count: Int) -> Double {
        begin(.echo, count)
        poster.order(.roundTrips, round, count)
        let median = poster.result().first
        self.count(receivers[0].result(), of: count)
        return Double(median) / 1000
    }

    /// The median age, in microseconds, of messages that are received.
    func oneWay(_ count: Int) -> Double {
        begin(.receiveTimed, count)
        poster.order(.postPaced, round, count)
        let receipt = receivers[0].result()
        _ = poster.result()
        self.count(receipt, of: count)
        return Double(receipt.second) / 1000
    }

    /// Millions of deliveries a second, from the post of the first message until the last receiver
    /// has the last one.
    func deliveries(_ count: Int) -> Double {
        begin(.receive, count)
        poster.order(.post, round, count)
        let receipts = receivers.map { $0.result() }
        let start = poster.result().first
        for receipt in receipts { self.count(receipt, of: count) }
        let nanoseconds = time(of: receipts, since: start)
        return receipts.reduce(0) { $0 + Double($1.first) } / nanoseconds * 1000
    }

    /// Seconds until all receivers but the last one are complete.
    func othersComplete(_ count: Int, isStopped: Bool) -> Double {
        begin(.receive, count)
        let last = receivers[receivers.count - 1]
        if isStopped { last.suspend() }
        poster.order(.post, round, count)
        let receipts = receivers.dropLast().map { $0.result() }
        if isStopped { last.resume() }
        let start = poster.result().first
        for receipt in receipts + [last.result()] { self.count(receipt, of: count) }
        return time(of: receipts, since: start) / 1e9
    }

    /// Has the receivers do something, and waits until they are about to.
    private func begin(_ kind: Order.Kind, _ count: Int) {
        round += 1
        for receiver in receivers { receiver.order(kind, round, count) }
        for receiver in receivers { receiver.waitUntilReady() }
    }

    private func count(_ receipt: Reply, of count: Int) {
        losses.add(expected: count, received: Int(receipt.first))
    }

    private func time(of receipts: [Reply], since start: Int64) -> Double {
        let last = receipts.map(\.second).max() ?? 0
        guard last > start else { Workspace.fail("\(name): nothing was received") }
        return Double(last - start)
    }

    private func stop() {
        for child in receivers + [poster] { child.stop() }
        server?.stop()
    }
}
