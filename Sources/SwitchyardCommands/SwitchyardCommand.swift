// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

public import ArgumentParser
internal import SwitchyardConsole

/// The `switchyard` tool: a command line for notifications, delivered on the thread you choose.
public struct SwitchyardCommand: ParsableCommand {
    /// The text of `switchyard --help`, and the subcommands.
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

            MAN PAGE
              scripts/man-page .build/release/switchyard >switchyard.1
            writes it from this help, in a clone of the repository.
            """,
        version: "0.1.0",
        subcommands: [
            PostCommand.self, ObserveCommand.self, PeersCommand.self, PingCommand.self,
            BridgeCommand.self, RefusedCommand.self, InspectCommand.self, TopCommand.self,
            ExplainCommand.self, TraceCommand.self,
        ])

    /// Creates the command, as ArgumentParser does.
    public init() {}
}

extension SwitchyardCommand {
    /// Runs the tool with the process's arguments, on the main thread.
    public static func start() {
        StandardStreams.prepare(for: "switchyard")
        MovedCommand.check()
        main()
    }
}
