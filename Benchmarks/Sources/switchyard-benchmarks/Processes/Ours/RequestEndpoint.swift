// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import BenchmarkHarness
internal import SwitchyardDistributed

/// Requests and their answers: the poster asks and blocks, and the receiver answers on the thread
/// that receives.
final class RequestEndpoint: Endpoint {
    private struct Echo: DistributedRequest {
        typealias Subject = String
        var round: UInt32
        var text = filler

        struct Reply: Codable, Sendable {
            var round: UInt32
            var text = filler
        }
    }

    private let center: DistributedNotificationCenter
    private let inbox = Inbox()
    private let token: ObservationToken?

    /// - Parameter isReady: waits until every process that is there has been told of the answering
    ///   one.
    init?(_ center: DistributedNotificationCenter, isPoster: Bool, isReady: () -> Bool) {
        self.center = center
        let inbox = inbox
        token =
            isPoster
            ? nil
            : center.answer(Echo.self, on: .poster) { echo in
                inbox.receive(Stamp(time: 0, round: echo.round, index: 0))
                return Echo.Reply(round: echo.round)
            }
        if !isReady() { return nil }
    }

    func prepare(_ kind: Order.Kind, _ round: UInt32, _ count: Int) -> Bool {
        if kind == .echo { inbox.open(round, count) }
        return kind == .echo || kind == .roundTrips
    }

    func roundTrips(_ round: UInt32, _ count: Int) -> [Int64]? {
        var nanoseconds: [Int64] = []
        nanoseconds.reserveCapacity(count)
        for _ in 0..<count {
            let start = Stopwatch.now
            let reply = try? center.request(Echo(round: round), within: .seconds(20))
            nanoseconds.append(Stopwatch.now - start)
            if reply?.round != round { return nil }
        }
        return nanoseconds
    }

    func echo(_ round: UInt32, _ count: Int) -> Bool { inbox.close().count == count }

    // Requests are asked for round trips alone.

    func post(_ round: UInt32, _ count: Int) -> Int64? { nil }
    func postPaced(_ round: UInt32, _ count: Int) -> Bool { false }
    func receive(_ round: UInt32, _ count: Int) -> (count: Int, last: Int64) { (0, 0) }
    func receiveTimed(_ round: UInt32, _ count: Int) -> [Int64] { [] }
}
