// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import ArgumentParser
internal import Foundation
internal import SwitchyardConsole
internal import SwitchyardInspection

/// The command `switchyard explain`: names the observers that would hear a notification, and the
/// others.
struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract:
            "Names the observers that would hear a notification in a running process, and the others.",
        discussion: """
            Nothing is posted. For each center of the process, in the order of delivery: the observers \
            that would hear the notification, on which context; then those of the same name that \
            would not, and why. If nobody would, the nearest name that somebody observes.

            EXAMPLES
              switchyard explain folio SettingsChanged
              switchyard explain folio SettingsChanged --object x

            EXIT STATUS
              0  Somebody would hear it.
              1  The process can't be inspected.
              2  Nobody would hear it.
              64 The arguments are wrong.
            """)

    @Argument(help: "A process, by number or name.")
    var process: String

    @Argument(help: "The name of the notification, or the type of a message.")
    var name: String

    @Option(
        help: """
            The notification's object, which is a string: 5 is the text "5", and no number. Without it, \
            the notification has no object.
            """)
    var object: String?

    @Flag(help: "Print a JSON object for each observer.")
    var json = false

    func run() throws {
        signal(SIGPIPE, SIG_IGN)
        let process = try InspectedProcesses.one(process, .explain)
        let centers = try InspectedProcesses.asking(process, .explain) { try process.centers() }
        let explanation = Explanation(of: name, object: object, in: centers)
        let output = OutputBuffer()
        if json {
            for entry in explanation.entries {
                output.append(Array("\(try JSONLine.text(of: entry))\n".utf8))
            }
            // No observer, no object: the nearest name is said beside the output.
            if explanation.entries.isEmpty, let line = explanation.text.split(separator: "\n").first
            {
                StandardErrorLog.explain.say(String(line))
            }
        } else {
            output.append(Array(explanation.text.utf8))
        }
        output.flush()
        try output.check(.explain)
        if !explanation.isHeard { throw ExitCode(2) }
    }
}
