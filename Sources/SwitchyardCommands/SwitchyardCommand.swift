// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

public import ArgumentParser

/// `switchyard`: notifications on the threads you choose, at work on a command line.
public struct SwitchyardCommand: ParsableCommand {
    /// What `switchyard --help` shows.
    public static let configuration = CommandConfiguration(
        commandName: "switchyard",
        abstract: "Notifications, delivered on the thread you choose.",
        discussion: """
            In one window, switchyard observe; in another, switchyard post Hello.

            COMPLETION
              switchyard --generate-completion-script bash
            prints what goes to ~/.local/share/bash-completion/completions/switchyard; \
            with zsh, to _switchyard in a folder of fpath; with fish, to \
            ~/.config/fish/completions/switchyard.fish.
            """,
        version: "0.1.0",
        subcommands: [
            PostCommand.self, ObserveCommand.self, PeersCommand.self, PingCommand.self,
            TailCommand.self, BridgeCommand.self, TourCommand.self,
        ])

    /// As ArgumentParser makes it.
    public init() {}
}

extension SwitchyardCommand {
    /// Runs the tool with the process's arguments, on the main thread.
    public static func start() {
        StandardStreams.fillGaps()
        StandardStreams.checkAtExit()
        main()
    }
}
