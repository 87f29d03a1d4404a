// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import SwitchyardInspection

extension HandlerTable {
    /// Looks at a process for a while: how busy its handlers are, and what is delivered to them.
    ///
    /// - Parameter seconds: the length of the look.
    static func look(at process: InspectableProcess, for seconds: Double) throws -> HandlerTable {
        let before = try process.centers()
        let start = ContinuousClock.now
        // A thousand looks a second: two handlers are told apart by it, and the process spends less
        // than a hundredth of a processor on them.
        let looks = UInt32(clamping: Int(min(max(seconds, 0.01), 90) * 1000))
        let samples = try process.samples(looks: looks, pause: 1000)
        let after = try process.centers()
        let span = (ContinuousClock.now - start) / .seconds(1)
        return HandlerTable(
            process: process.number, name: process.name, before: before, after: after,
            samples: samples, seconds: span)
    }
}
