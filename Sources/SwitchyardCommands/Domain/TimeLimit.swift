// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import ArgumentParser

/// A span of time as it is written on a command line: `10s`, `500ms`, `2m`, `1h`, or seconds alone.
struct TimeLimit: ExpressibleByArgument, CustomStringConvertible {
    /// As it was written.
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
        // Longer is as good as for ever, and would overflow what counts nanoseconds.
        seconds = min(number * unit.seconds, 1e9)
    }

    /// So many seconds.
    init(seconds: Int) {
        description = "\(seconds)s"
        self.seconds = Double(seconds)
    }

    var duration: Duration { .seconds(seconds) }
    var defaultValueDescription: String { description }
}
