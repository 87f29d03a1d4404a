// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

public import ArgumentParser

/// The options of a command that prints a line for each event: the format, and when to end.
public struct LineOptions: ParsableArguments, Sendable {
    /// Whether to print JSON.
    @Flag(help: "Print each line as a JSON object.")
    public var json = false

    /// The number of lines after which to end; nil for no limit.
    @Option(help: "End after this many lines.")
    public var count: Int?

    /// The time after which to end; nil for no limit.
    @Option(
        name: .customLong("for"),
        help: ArgumentHelp("End after that time, such as 10s, 500ms or 2m.", valueName: "time"))
    public var limit: TimeLimit?

    /// Creates the options, as ArgumentParser does.
    public init() {}

    /// Checks that the number is at least one.
    public func validate() throws { try ValidationError.check(count: count) }
}
