// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import ArgumentParser
internal import Foundation
internal import SwitchyardConsole

/// The program `tail`: follows files as `tail -F` does, each on a thread of its own, and
/// prints their lines on the main thread.
struct TailCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tail",
        abstract: "Follows growing files, each on a thread of its own, and prints them from main.",
        discussion: """
            Each file's reader posts a notification for every line; one observer on the main run \
            loop prints them in the order of arrival. As with tail -F, names are followed: files \
            may be rotated, truncated, removed, and appear later. One that is rotated away again \
            before its reader has opened it is missed, as with tail. Ctrl-C ends it, with a summary on \
            standard error.

            With --post, the lines that are printed also go to other processes, as notifications of that \
            name about the file, with 'file' and 'line' in userInfo. This includes lines from before the \
            start: --lines 0 posts new lines only.

            EXAMPLES
              swift run --package-path Examples tail /var/log/syslog build.log
              swift run --package-path Examples tail --from-start --json access.log | jq -r .line
              swift run --package-path Examples tail -n 0 --post org.example.LogLine access.log &
              switchyard observe org.example.LogLine --object access.log

            EXIT STATUS
              0  It was ended by a signal, --count or --for, or its output was closed.
              1  The output can't be written, or, with --post, processes can't be reached or do not \
            read what is posted.
              64 The arguments are wrong.
            """)

    @Argument(help: "The files to follow. They need not be there yet.", completion: .file())
    var files: [String]

    @Option(
        name: [.customShort("n"), .long],
        help: "The number of last lines to print of files that are there at the start.")
    var lines = 10

    @Flag(help: "Print files that are there at the start from their beginning.")
    var fromStart = false

    @Flag(help: "Show on which thread each line was posted and on which it was handled.")
    var threads = false

    @OptionGroup var output: LineOptions

    @Option(
        help: ArgumentHelp(
            "Post the lines also to other processes, under this name.", valueName: "name"))
    var post: String?

    @OptionGroup var domain: DomainOptions

    /// The longest time to wait for a process that reads nothing.
    private static let patience = TimeLimit(seconds: 5)

    func validate() throws {
        if files.isEmpty { throw ValidationError("name at least one file to follow") }
        if let post { try ValidationError.check(name: post) }
        if lines < 0 { throw ValidationError("--lines takes zero or more") }
    }

    func run() throws {
        EndSignals.hold()
        let (summary, isPublished) = try MainActor.assumeIsolated {
            let session = try TailSession(
                files: files, printer: LinePrinter(asJSON: output.json, showsThreads: threads),
                limit: output.count, try makePublisher())
            let summary = session.run(
                from: fromStart ? .beginning : .lastLines(lines), limit: output.limit)
            return (summary, session.finishPublishing())
        }
        if !summary.outputWasClosed { StandardErrorLog.print(summary.description) }
        if let failure = summary.failure, !summary.outputWasClosed {
            StandardErrorLog.tail.say(OutputBuffer.words(for: failure))
            throw ExitCode.failure
        }
        if !isPublished { throw ExitCode.failure }
    }

    private func makePublisher() throws -> LinePublisher? {
        guard let post else { return nil }
        return LinePublisher(try domain.join(.tail), name: post, patience: Self.patience)
    }
}

extension StandardErrorLog {
    static let tail = StandardErrorLog("tail")
}
