// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import ArgumentParser
internal import SwitchyardConsole
internal import SwitchyardInspection

/// The search for the processes that a command is to look at.
enum InspectedProcesses {
    /// The one process that is called so.
    ///
    /// - Parameters:
    ///   - text: a number or a name; nil where only one process can be inspected.
    ///   - log: for what is missing.
    static func one(_ text: String?, _ log: StandardErrorLog) throws -> InspectableProcess {
        let all = try all(log)
        let found = all.filter { process in text.map { process.isCalled($0) } ?? true }
        if let process = found.first, found.count == 1 { return process }
        let names = found.map { "\($0.number) \($0.name)" }.joined(separator: ", ")
        switch (found.isEmpty, text) {
        case (true, let text?):
            log.say(
                "no process that is called \(text) can be inspected; it has to call "
                    + "Inspection.listen(), and in a release build run with SWITCHYARD_INSPECT=1")
        case (true, nil):
            log.say(
                "no process can be inspected: it has to call Inspection.listen(), and in a release "
                    + "build run with SWITCHYARD_INSPECT=1")
        default:
            log.say("several processes can be inspected; name one of them by its number: \(names)")
        }
        throw ExitCode.failure
    }

    static func all(_ log: StandardErrorLog) throws -> [InspectableProcess] {
        do {
            return try InspectableProcess.all()
        } catch {
            log.say("\(error)")
            throw ExitCode.failure
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
