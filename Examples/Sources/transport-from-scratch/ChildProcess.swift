// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation

/// This program once more, as a child whose standard input and output are the wire.
///
/// `ssh host program` in the place of the program's own path would connect two machines.
struct ChildProcess {
    let transport: PipeTransport
    private let process = Process()

    init() {
        let (toChild, fromChild) = (Pipe(), Pipe())
        process.executableURL = Bundle.main.executableURL
        process.arguments = ["child"]
        process.standardInput = toChild
        process.standardOutput = fromChild
        transport = PipeTransport(
            reading: fromChild.fileHandleForReading, writing: toChild.fileHandleForWriting)
    }

    func run() throws { try process.run() }

    /// Waits until the child has ended.
    ///
    /// - Returns: Its status.
    func waitUntilExit() -> Int32 {
        process.waitUntilExit()
        return process.terminationStatus
    }
}
