// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import ArgumentParser
internal import Foundation
internal import SwitchyardConsole
internal import SwitchyardInspection

extension HandlerTable {
    /// Looks at a process for a while: how busy its handlers are, and what is delivered to them.
    ///
    /// - Parameters:
    ///   - seconds: the length of the look.
    ///   - growth: the looks before this one.
    ///   - recording: the events of the looks before this one. Of those, the deliveries are kept
    ///     that still wait: what has waited for longer than a look would else have no time.
    static func look(
        at process: InspectableProcess, for seconds: Double, _ growth: inout GrowthWatch,
        _ recording: inout TraceRecording
    ) throws -> HandlerTable {
        let before = try process.centers()
        growth.look(at: before)
        let start = ContinuousClock.now
        let end = start + .seconds(min(max(seconds, 0.01), longestLook))
        recording.keepLast(0, waiting: longestWait)
        if let first = try process.events() { recording.add(first) }
        let overwritten = recording.overwritten
        var samples = HandlerSamples.none
        var isFirstHalf = true
        var pace = LookPace(for: end - start)
        repeat {
            // A thousand looks a second: two handlers are told apart by it, and the process spends
            // less than a hundredth of a processor on them. The threads' events are read in
            // between.
            let left = UInt32(max(1, (end - .now) / .milliseconds(1)))
            samples += try process.samples(looks: min(left, pace.looks), pause: 1000)
            if let batch = try process.events() {
                recording.add(batch)
                pace.took(batch)
            }
            if isFirstHalf, ContinuousClock.now - start > (end - start) / 2 {
                growth.look(at: try process.centers())
                isFirstHalf = false
            }
        } while ContinuousClock.now < end
        let after = try process.centers()
        growth.look(at: after)
        let span = (ContinuousClock.now - start) / .seconds(1)
        return HandlerTable(
            process: process.number, name: process.name, before: before, after: after,
            samples: samples,
            times: DeliveryTimes(
                recording, main: process.number, names: process.topics),
            growth: growth.sentences, seconds: span,
            overwritten: recording.overwritten &- overwritten)
    }

    /// The seconds that a look may take: its events are kept until then.
    private static let longestLook = 90.0

    /// Refuses a look that is too long, as an error in the arguments.
    static func check(_ span: TimeLimit, of option: String) throws {
        if span.seconds > longestLook {
            throw ValidationError(
                "\(option) is 90s at most: `switchyard top` looks again and again, for as long as you like"
            )
        }
    }

    /// The nanoseconds after which a delivery that waits is forgotten.
    private static let longestWait: UInt64 = 30_000_000_000

    /// The events a second that a look asks for: a handler that runs once a second is among them,
    /// and the process spends less than a hundredth of a processor on them.
    static let eventsPerSecond: UInt32 = 20_000
}
