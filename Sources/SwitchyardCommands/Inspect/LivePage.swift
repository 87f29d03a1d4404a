// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import ArgumentParser
internal import Foundation
internal import SwitchyardConsole
internal import SwitchyardInspection
internal import SwitchyardWeb

/// The page of `switchyard inspect PROCESS --web`.
enum LivePage {
    #if Web
    /// Serves the page until Ctrl-C, also when the process has ended.
    ///
    /// - Parameter port: 0 for one that the system chooses.
    static func run(_ text: String?, port: UInt16, _ output: OutputBuffer) throws {
        EndSignals.hold()
        // Everything that has to be put back is in the process, which notices that the tool has
        // gone.
        EndSignals.whenTheyCome { _ in _exit(EXIT_SUCCESS) }
        let process = try InspectedProcesses.one(text, .inspect)
        let look = try InspectedProcesses.asking(process, .inspect) { try LiveLook(process) }
        let session = LiveSession(number: process.number, name: process.name)
        let server = try server(port, session)
        Task.detached {
            do {
                try await server.serve()
            } catch {
                StandardErrorLog.inspect.say("the page can't be served any longer: \(error)")
                _exit(EXIT_FAILURE)
            }
        }
        output.append(Array("\(server.address)\n".utf8))
        output.flush()
        try output.check(.inspect)
        StandardErrorLog.inspect.say(
            "open this address in a browser; it lets one browser in, once. Ctrl-C ends it")
        session.run(look) { problem in
            let name = "process \(process.number) \(process.name)"
            StandardErrorLog.inspect.say(
                problem.map { "\(name) can be looked at no longer: \($0); start the tool again" }
                    ?? "\(name) has ended; the page stays until Ctrl-C")
        }
    }

    private static func server(_ port: UInt16, _ session: LiveSession) throws -> PageServer {
        do {
            return try PageServer(port: port, session)
        } catch {
            StandardErrorLog.inspect.say(
                "can't listen on port \(port) of 127.0.0.1: another program may have it; choose "
                    + "another one, or leave --port out (\(error))")
            throw ExitCode.failure
        }
    }
    #else
    /// Says how to get a tool that has the page.
    static func run(_ text: String?, port: UInt16, _ output: OutputBuffer) throws {
        StandardErrorLog.inspect.say(
            "this tool was built without the page; build it with the trait Web: "
                + "swift build -c release --product switchyard --traits Web")
        throw ExitCode.failure
    }
    #endif
}
