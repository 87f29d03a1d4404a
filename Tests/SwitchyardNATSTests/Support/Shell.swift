// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
import Foundation
import NATSProbe

/// The output of a shell's command.
@discardableResult
func shell(_ command: String) throws -> [UInt8] {
    let shell = Process()
    shell.executableURL = URL(fileURLWithPath: "/bin/bash")
    shell.arguments = ["-c", "set -e -o pipefail; " + command]
    let output = Pipe()
    shell.standardOutput = output
    shell.standardError = FileHandle.nullDevice
    try shell.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    shell.waitUntilExit()
    guard shell.terminationStatus == 0 else { throw ServerError(description: command) }
    return Array(data)
}
#endif
