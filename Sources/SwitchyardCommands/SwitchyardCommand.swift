// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

public import ArgumentParser

/// `switchyard`: notifications on the threads you choose, at work on a command line.
public struct SwitchyardCommand: ParsableCommand {
    /// What `switchyard --help` shows.
    public static let configuration = CommandConfiguration(
        commandName: "switchyard",
        abstract: "Notifications, delivered on the thread you choose.",
        version: "0.1.0",
        subcommands: [TailCommand.self, TourCommand.self])

    /// As ArgumentParser makes it.
    public init() {}
}

extension SwitchyardCommand {
    /// Runs the tool with the process's arguments, on the main thread.
    public static func start() { main() }
}
