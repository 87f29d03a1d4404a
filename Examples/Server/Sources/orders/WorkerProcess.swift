// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation

/// The second process: this program, once more.
final class WorkerProcess: @unchecked Sendable {
    // Sendable: constant; one task uses it.
    private let process = Process()
    private let pipe = Pipe()

    init(domain: String) throws {
        process.executableURL = Bundle.main.executableURL
        process.arguments = ["worker", domain]
        process.standardOutput = pipe
        try process.run()
    }

    /// Waits until the worker observes.
    func isReady() async {
        await blocking { [pipe] in
            var text = ""
            while !text.hasSuffix("ready\n") {
                let data = pipe.fileHandleForReading.availableData
                if data.isEmpty { return }
                text += String(decoding: data, as: UTF8.self)
            }
        }
    }

    /// Asks the worker to end, and waits for that.
    ///
    /// - Returns: the lines that it has printed since it was ready.
    func end() async -> [Substring] {
        process.terminate()
        return await blocking { [pipe, process] in
            let data = pipe.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            return String(decoding: data, as: UTF8.self).split(separator: "\n")
        }
    }

    /// Runs what blocks on a thread that may.
    private func blocking<Result: Sendable>(
        _ body: @escaping @Sendable () -> Result
    ) async -> Result {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: body()) }
        }
    }
}
