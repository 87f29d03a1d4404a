// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import ArgumentParser
internal import Foundation
internal import SwitchyardConsole
internal import SwitchyardInspection

/// The program `folio`: an editor without a window, with faults to be found from outside.
struct FolioCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "folio",
        abstract: "Plays an editor with faults, for `switchyard inspect` and its like to find.",
        discussion: """
            Somebody types, workers make thumbnails, a grid on main shows them, inspector windows \
            are opened and closed. Five things are wrong on purpose: a handler on main is slow, closed \
            windows go on observing, a title bar observes a document that was closed, a search index \
            loses what it has no room for, and a name is misspelt. Ctrl-C ends it.

            EXAMPLES
              swift run --package-path Examples folio
              swift run --package-path Examples folio --fixed --for 1m
            """)

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp("The time to run; without it: until Ctrl-C.", valueName: "time"))
    var limit: TimeLimit?

    @Flag(help: "Run without the faults.")
    var fixed = false

    @Flag(help: "Print late deliveries on main, and posts that nobody hears, on standard error.")
    var report = false

    func run() throws {
        EndSignals.hold()
        let stop = try StopSignal()
        EndSignals.whenTheyCome { [stop] _ in Self.end(stop) }
        limit?.whenOver { [stop] in Self.end(stop) }
        // A release build listens with SWITCHYARD_INSPECT=1 alone.
        if Inspection.listen() {
            print("folio runs; in another shell, try: switchyard inspect folio")
        } else {
            print("folio runs, and can't be inspected: start it with SWITCHYARD_INSPECT=1")
        }
        fflush(nil)
        MainActor.assumeIsolated {
            let editor = Editor(isFixed: fixed)
            if report { editor.report() }
            editor.run(until: stop)
        }
    }

    /// Raises the signal, and wakes the main run loop, which looks at it.
    private static func end(_ stop: StopSignal) {
        stop.raise()
        DispatchQueue.main.async {}
    }
}
