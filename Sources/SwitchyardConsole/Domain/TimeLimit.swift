// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

public import ArgumentParser
internal import Foundation
@_spi(Engine) internal import SwitchyardCore

/// A span of time as written on a command line: `10s`, `500ms`, `2m`, `1h`, or a number of seconds.
public struct TimeLimit: Sendable, ExpressibleByArgument, CustomStringConvertible {
    /// The text as it was written.
    public let description: String
    package let seconds: Double

    private static let units: [(suffix: String, seconds: Double)] = [
        // The longer suffixes first: `ms` ends in `s`.
        ("ms", 0.001), ("s", 1), ("m", 60), ("h", 3600), ("", 1),
    ]

    /// Creates a time limit as written on a command line; nil if it can't be read.
    public init?(argument: String) {
        guard let unit = Self.units.first(where: { argument.hasSuffix($0.suffix) }),
            let number = Double(argument.dropLast(unit.suffix.count)),
            number >= 0, number.isFinite
        else { return nil }
        description = argument
        // A longer time is as good as endless, and would overflow a count of nanoseconds.
        seconds = min(number * unit.seconds, 1e9)
    }

    /// Creates a time limit of whole seconds.
    public init(seconds: Int) {
        description = "\(seconds)s"
        self.seconds = Double(seconds)
    }

    package var duration: Duration { .seconds(seconds) }

    /// Calls `body` when the time is over, on a thread of its own. The wall clock has no influence
    /// on it, as it partly has on dispatch's timers and semaphores.
    public func whenOver(_ body: @escaping @Sendable () -> Void) {
        let end = ContinuousClock.now + duration
        let thread = Thread {
            while ContinuousClock.now < end { _ = ThreadSignal().wait(until: end) }
            body()
        }
        thread.name = "time limit"
        thread.start()
    }

    /// The text as it was written, for the help.
    public var defaultValueDescription: String { description }
}
