// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import ArgumentParser
internal import Foundation
@_spi(Engine) internal import SwitchyardCore

/// A span of time as written on a command line: `10s`, `500ms`, `2m`, `1h`, or a number of seconds.
struct TimeLimit: ExpressibleByArgument, CustomStringConvertible {
    /// The text as it was written.
    let description: String
    let seconds: Double

    private static let units: [(suffix: String, seconds: Double)] = [
        // The longer suffixes first: `ms` ends in `s`.
        ("ms", 0.001), ("s", 1), ("m", 60), ("h", 3600), ("", 1),
    ]

    init?(argument: String) {
        guard let unit = Self.units.first(where: { argument.hasSuffix($0.suffix) }),
            let number = Double(argument.dropLast(unit.suffix.count)),
            number >= 0, number.isFinite
        else { return nil }
        description = argument
        // A longer time is as good as endless, and would overflow a count of nanoseconds.
        seconds = min(number * unit.seconds, 1e9)
    }

    /// Creates a time limit of whole seconds.
    init(seconds: Int) {
        description = "\(seconds)s"
        self.seconds = Double(seconds)
    }

    var duration: Duration { .seconds(seconds) }

    /// Calls `body` when the time is over, on a thread of its own. The wall clock has no influence
    /// on it, as it partly has on dispatch's timers and semaphores.
    func whenOver(_ body: @escaping @Sendable () -> Void) {
        let end = ContinuousClock.now + duration
        let thread = Thread {
            ThreadName.set("time limit")
            while ContinuousClock.now < end { _ = ThreadSignal().wait(until: end) }
            body()
        }
        thread.start()
    }
    var defaultValueDescription: String { description }
}
