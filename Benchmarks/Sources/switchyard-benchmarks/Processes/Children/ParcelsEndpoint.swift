// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import BenchmarkHarness
internal import CBenchmarks
internal import Foundation

/// One observer, whose handler runs on the thread that receives.
final class ParcelsEndpoint: Endpoint {
    private let parcels: any Parcels
    private let inbox = Inbox()
    private let token: any Sendable

    /// - Parameter isReady: waits until every process that is there has been told of the observer.
    init?(_ parcels: any Parcels, isPoster: Bool, isReady: () -> Bool) {
        self.parcels = parcels
        token = parcels.observe(isPoster ? .pong : .ping) { [inbox] in inbox.receive($0) }
        if !isReady() { return nil }
    }

    /// The receiving thread's notes, for a thread that waits for them.
    private final class Notes {
        var nanoseconds: [Int64] = []
        var start: Int64 = 0

        init(_ count: Int) { nanoseconds.reserveCapacity(count) }
    }

    private var notes = Notes(0)

    func prepare(_ kind: Order.Kind, _ round: UInt32, _ count: Int) -> Bool {
        let notes = Notes(count)
        self.notes = notes
        switch kind {
        case .post, .postPaced:
            break
        case .receive:
            inbox.open(round, count)
        case .receiveTimed:
            inbox.open(round, count) { notes.nanoseconds.append(Stopwatch.now - $0.time) }
        case .echo:
            inbox.open(round, count) { [parcels] in parcels.post($0, .pong) }
        case .roundTrips:
            inbox.open(round, count) { [parcels] stamp in
                notes.nanoseconds.append(Stopwatch.now - notes.start)
                if notes.nanoseconds.count == count { return }
                // The answer is posted from here: another thread would have to be woken.
                notes.start = Stopwatch.now
                parcels.post(Stamp(time: notes.start, round: round, index: stamp.index + 1), .ping)
            }
        }
        return true
    }

    func roundTrips(_ round: UInt32, _ count: Int) -> [Int64]? {
        notes.start = Stopwatch.now
        parcels.post(Stamp(time: notes.start, round: round, index: 0), .ping)
        return inbox.close().count == count ? notes.nanoseconds : nil
    }

    func post(_ round: UInt32, _ count: Int) -> Int64? {
        let start = Stopwatch.now
        for index in 0..<UInt32(count) {
            parcels.post(Stamp(time: start, round: round, index: index), .ping)
        }
        return start
    }

    func postPaced(_ round: UInt32, _ count: Int) -> Bool {
        let start = Stopwatch.now
        for index in 0..<UInt32(count) {
            benchmarks_sleep_until(start + Int64(index + 1) * 1_000_000)
            parcels.post(Stamp(time: Stopwatch.now, round: round, index: index), .ping)
        }
        return true
    }

    func echo(_ round: UInt32, _ count: Int) -> Bool { inbox.close().count == count }

    func receive(_ round: UInt32, _ count: Int) -> (count: Int, last: Int64) { inbox.close() }

    func receiveTimed(_ round: UInt32, _ count: Int) -> [Int64] {
        let received = inbox.close().count
        return Array(notes.nanoseconds.prefix(received))
    }
}
