// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import ArgumentParser
internal import Foundation

/// The program `tour`: plays the situations that the documentation describes.
struct TourCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tour",
        abstract: "Shows promises of the documentation, and their outcomes, with live threads.",
        discussion: """
            Plays situations with real threads and run loops. For each it prints what was posted \
            on which thread, where and in which order it arrived, and whether that is what the \
            documentation promises. The exit status is 1 if one promise did not hold.
            """)

    @Flag(help: "Print an array of JSON objects: name, promise, held, events.")
    var json = false

    func run() throws {
        let outcomes = try MainActor.assumeIsolated { try play() }
        if outcomes.contains(where: { !$0.held }) { throw ExitCode.failure }
    }

    @MainActor
    private func play() throws -> [TourOutcome] {
        let director = TourDirector()
        let printer = TourPrinter()
        let start = Date()
        var outcomes: [TourOutcome] = []
        director.watchMain()
        for situation in Situation.all {
            let outcome = director.play(situation)
            outcomes.append(outcome)
            if !json { printer.print(outcome, number: outcomes.count) }
        }
        if json {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            print(String(decoding: try encoder.encode(outcomes), as: UTF8.self))
        } else {
            printer.printEnd(outcomes, seconds: -start.timeIntervalSinceNow)
        }
        return outcomes
    }
}
