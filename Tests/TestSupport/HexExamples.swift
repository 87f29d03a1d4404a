// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import Testing

/// The examples in a page of `docs` that describes a protocol: the bytes that stand in blocks
/// marked `hex`, by the name in their first line.
package struct HexExamples {
    package let text: String
    private var blocks: [String: [UInt8]] = [:]

    package init(_ page: String) throws {
        let root = (0..<3).reduce(URL(fileURLWithPath: #filePath)) { url, _ in
            url.deletingLastPathComponent()
        }
        text = try String(
            contentsOf: root.appendingPathComponent("docs/\(page)"), encoding: .utf8)
        for block in text.components(separatedBy: "```hex\n# ").dropFirst() {
            let lines = block.prefix { $0 != "`" }.split(separator: "\n")
            let name = String(try #require(lines.first))
            try #require(blocks[name] == nil, "\(name) is there twice")
            blocks[name] = lines.dropFirst().flatMap { line in
                line.prefix { $0 != "#" }.split(separator: " ").compactMap { UInt8($0, radix: 16) }
            }
        }
    }

    package var names: [String] { blocks.keys.sorted() }

    package func bytes(of example: String) throws -> [UInt8] {
        try #require(blocks[example], "an example called \(example)")
    }
}
