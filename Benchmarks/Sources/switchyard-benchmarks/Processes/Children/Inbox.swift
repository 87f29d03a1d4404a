// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import BenchmarkHarness
internal import Foundation
internal import Synchronization

/// The stamp in every message of ours.
struct Stamp: Sendable {
    var time: Int64
    var round: UInt32
    var index: UInt32
}

/// A count of a handler's messages, made on the thread that receives, for another thread that
/// waits.
final class Inbox: @unchecked Sendable {
    // Sendable: what is not atomic is written before a round is published and then belongs to the
    // receiving thread until `done`. A round that is given up is closed; what its last handler
    // still does is not looked at.
    private let round = Atomic<UInt32>(0)
    private let count = Atomic<Int>(0)
    private let last = Atomic<Int64>(0)
    private var wanted = 0
    private var action: ((Stamp) -> Void)?
    private let done = DispatchSemaphore(value: 0)

    /// The seconds without a message that end a round: before the first one, and between two.
    private static let quiet = (before: 20, between: 3)

    /// Opens a round of so many messages, with each of which `action` is called.
    func open(_ round: UInt32, _ wanted: Int, action: ((Stamp) -> Void)? = nil) {
        // A round that was given up may have been complete a moment later.
        while done.wait(timeout: .now()) == .success {}
        self.wanted = wanted
        self.action = action
        count.store(0, ordering: .relaxed)
        last.store(0, ordering: .relaxed)
        self.round.store(round, ordering: .releasing)
    }

    /// The handler of every message.
    func receive(_ stamp: Stamp) {
        guard stamp.round == round.load(ordering: .acquiring) else { return }
        let number = count.load(ordering: .relaxed) + 1
        count.store(number, ordering: .relaxed)
        // A check now and then is enough: only a round that is never complete ends there.
        if number % 64 == 0 || number == wanted {
            last.store(Stopwatch.now, ordering: .relaxed)
        }
        action?(stamp)
        if number == wanted { done.signal() }
    }

    /// Waits until all messages have come, or none comes any more. Returns their number, and the
    /// time of the last one.
    func close() -> (count: Int, last: Int64) {
        var seen = -1
        var seconds = 0
        while done.wait(timeout: .now() + 1) == .timedOut,
            seconds < (seen > 0 ? Self.quiet.between : Self.quiet.before)
        {
            let now = count.load(ordering: .relaxed)
            seconds = now == seen ? seconds + 1 : 0
            seen = now
        }
        round.store(0, ordering: .releasing)
        return (count.load(ordering: .relaxed), last.load(ordering: .relaxed))
    }
}
