// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import ArgumentParser
internal import Foundation
internal import SwitchyardConsole
internal import SwitchyardInspection

/// The search for the processes that a command is to look at.
enum InspectedProcesses {
    /// The one process that is called so.
    ///
    /// - Parameters:
    ///   - text: a number or a name; nil where only one process can be inspected.
    ///   - log: for the names of processes that are missing.
    static func one(_ text: String?, _ log: StandardErrorLog) throws -> InspectableProcess {
        var (all, others) = try found(text.flatMap { Int32($0) }, log)
        // A program may be called by a number.
        if all.isEmpty, others.isEmpty, text != nil { (all, others) = try found(nil, log) }
        let found = all.filter { process in text.map { process.isCalled($0) } ?? true }
        if let process = found.first, found.count == 1 { return process }
        if found.isEmpty {
            sayThatNone(isCalled: text, others, log)
        } else {
            let names = found.map { "\($0.number) \($0.name)" }.joined(separator: ", ")
            log.say("several processes can be inspected; name one of them by its number: \(names)")
        }
        throw ExitCode.failure
    }

    /// Says why no process that is called so can be inspected.
    private static func sayThatNone(
        isCalled text: String?, _ others: [Other], _ log: StandardErrorLog
    ) {
        if let other = others.first(where: { "\($0.number)" == text }) {
            return log.say(words(for: other))
        }
        let advice =
            "it has to call Inspection.listen(), and in a release build run with SWITCHYARD_INSPECT=1"
        if let text {
            log.say("no process that is called \(text) can be inspected; \(advice)")
        } else if others.isEmpty {
            log.say("no process can be inspected: \(advice)")
        }
        // A process that does not answer can't say its name: it may be the one.
        if text.flatMap({ Int32($0) }) == nil { for other in others { log.say(words(for: other)) } }
    }

    /// A process that has closed its connection, connected anew; nil if it has ended.
    static func again(
        _ process: InspectableProcess, _ log: StandardErrorLog
    ) throws -> InspectableProcess? {
        let end = ContinuousClock.now + .seconds(1)
        var (answering, others) = try found(process.number, log)
        // A process that ends closes its files one after the other.
        while others.contains(where: { $0.number == process.number }), .now < end {
            usleep(100_000)
            (answering, others) = try found(process.number, log)
        }
        if let other = others.first(where: { $0.number == process.number }) {
            log.say(words(for: other))
            throw ExitCode.failure
        }
        // Another program may have the number now.
        return answering.first { $0.name == process.name }
    }

    /// The processes that can be inspected. The others that listen for tools are named in the log.
    static func all(_ log: StandardErrorLog) throws -> [InspectableProcess] {
        let (all, others) = try found(nil, log)
        for other in others { log.say(words(for: other)) }
        return all
    }

    /// A process that listens for tools but can't be inspected, and the reason.
    private typealias Other = (number: Int32, reason: String)

    private static func found(
        _ wanted: Int32?, _ log: StandardErrorLog
    ) throws -> (answering: [InspectableProcess], others: [Other]) {
        do {
            return try InspectableProcess.found(only: wanted)
        } catch {
            log.say("\(error)")
            throw ExitCode.failure
        }
    }

    private static func words(for other: Other) -> String {
        "process \(other.number) can't be inspected: \(other.reason)"
    }

    /// The centers of processes. All are asked before the first is waited for. One that does not say
    /// them is named in the log and left out.
    static func centers(
        of processes: [InspectableProcess], _ log: StandardErrorLog
    ) -> [(process: InspectableProcess, centers: [InspectedCenters.Center])] {
        let asked = processes.map { process in
            (process, Result { try process.askForCenters() })
        }
        let end = ContinuousClock.now + .seconds(5)
        return asked.compactMap { process, question in
            do {
                let left = Int32(max(0, (end - .now) / .milliseconds(1)))
                if let found = try process.centers(question.get(), within: left) {
                    return (process, found.centers)
                }
                log.say(words(for: (process.number, "it does not answer")))
            } catch let error as InspectionError where error.hasGone {
                // It has ended.
            } catch {
                log.say(words(for: (process.number, "\(error)")))
            }
            return nil
        }
    }

    /// Does `body`, and ends the command with a message if the process goes away meanwhile.
    static func asking<Result>(
        _ process: InspectableProcess, _ log: StandardErrorLog, _ body: () throws -> Result
    ) throws -> Result {
        do {
            return try body()
        } catch {
            log.say("process \(process.number) \(process.name): \(error)")
            throw ExitCode.failure
        }
    }
}

extension StandardErrorLog {
    static let inspect = StandardErrorLog("switchyard inspect")
    static let top = StandardErrorLog("switchyard top")
    static let explain = StandardErrorLog("switchyard explain")
}
