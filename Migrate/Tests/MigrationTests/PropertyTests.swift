// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Migration
import Testing

/// Numbers that are the same in each run.
private struct Numbers: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

@Suite("Damaged sources") struct PropertyTests {
    @Test(arguments: Fixture.all) func `A source that is cut, or has bytes changed, stops nothing`(
        _ fixture: Fixture
    ) throws {
        var numbers = Numbers(state: UInt64(fixture.name.utf8.count))
        for source in try fixture.sources("before") where !source.contents.isEmpty {
            for _ in 0..<25 {
                let damaged = SourceText(
                    path: source.path, contents: damage(source.contents, &numbers))
                let migration = try fixture.migrate([damaged])
                // A changed source stays a Swift source, in which a second run changes nothing.
                let again = try fixture.migrate(migration.applied(to: [damaged]))
                #expect(again.files.map(\.diff) == [])
            }
        }
    }

    private func damage(_ bytes: [UInt8], _ numbers: inout Numbers) -> [UInt8] {
        var bytes = bytes
        switch Int.random(in: 0..<4, using: &numbers) {
        case 0: bytes.removeSubrange(Int.random(in: 0..<bytes.count, using: &numbers)...)
        case 1:
            let start = Int.random(in: 0..<bytes.count, using: &numbers)
            bytes.removeSubrange(start..<min(start + 40, bytes.count))
        case 2:
            for _ in 0..<3 {
                bytes[Int.random(in: 0..<bytes.count, using: &numbers)] = .random(
                    in: 0...255, using: &numbers)
            }
        default:
            let start = Int.random(in: 0..<bytes.count, using: &numbers)
            bytes.insert(contentsOf: bytes[start..<min(start + 60, bytes.count)], at: start / 2)
        }
        return bytes
    }

    @Test func `A source without the center stays as it is, whatever it is`() throws {
        var numbers = Numbers(state: 1)
        let words = [
            "@objc ", "func a() {}\n", "class C: NSObject {\n", "}\n", "import Foundation\n",
            "#if os(Linux)\n",
            "#endif\n", "\"text\"",
            "addObserver(self, selector: #selector(a), name: nil, object: nil)\n",
            "// NotificationCenter\r\n", "\"NotificationCenter\"", "let center = 1\n",
        ]
        for _ in 0..<300 {
            let text = (0..<20).compactMap { _ in words.randomElement(using: &numbers) }.joined()
            let source = SourceText(path: "A.swift", contents: Array(text.utf8))
            #expect(Migrator.migrate([ModuleSources(name: "A", files: [source])]).files.isEmpty)
        }
    }
}
