// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import Testing

/// The exit status of `switchyard`, and its output.
struct ToolResult {
    let status: Int32
    let output: [String]
    let errors: [String]
    let processIdentifier: Int32
}

/// Runs `switchyard` to its end.
@discardableResult
func run(
    _ arguments: String..., in folder: TestFolder, input: String? = nil
) async throws -> ToolResult {
    try await run(arguments, in: folder, input: input)
}

@discardableResult
func run(
    _ arguments: [String], in folder: TestFolder, input: String? = nil
) async throws -> ToolResult {
    let tool = try ToolProcess(arguments, in: folder)
    if let input { await tool.writeAll(input) }
    tool.closeInput()
    let status = await tool.end()
    return ToolResult(
        status: status, output: await tool.output.all(), errors: await tool.errors.all(),
        processIdentifier: tool.processIdentifier)
}

/// A line of JSON.
func object(_ line: String?) throws -> [String: Any] {
    let line = try #require(line)
    return try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
}
