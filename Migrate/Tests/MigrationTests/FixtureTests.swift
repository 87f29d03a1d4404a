// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import Migration
import Testing

@Suite("Sources before and after") struct FixtureTests {
    @Test(arguments: Fixture.all)
    func `Sources in before become the sources in after, and are reported`(
        _ fixture: Fixture
    ) throws {
        let before = try fixture.sources("before")
        let migration = try fixture.migrate(before)
        for (found, expected) in zip(migration.applied(to: before), try fixture.sources("after")) {
            #expect(found.path == expected.path)
            #expect(found.text == expected.text)
        }
        #expect(try Report(migration).text == fixture.report())
    }

    @Test(arguments: Fixture.all) func `A second run changes nothing`(_ fixture: Fixture) throws {
        let before = try fixture.sources("before")
        let first = try fixture.migrate(before)
        let second = try fixture.migrate(first.applied(to: before))
        #expect(second.files.map(\.path) == [])
        #expect(!second.findings.contains { $0.kind == .changed })
        #expect(first.leavesSomething || !second.leavesSomething)
        #expect(second.leftCount <= first.leftCount)
    }

    @Test(arguments: Fixture.all) func `Line ends of Windows and a byte order mark stay`(
        _ fixture: Fixture
    ) throws {
        func windows(_ sources: [SourceText]) -> [SourceText] {
            sources.map { source in
                let text = source.text.replacing("\n", with: "\r\n")
                return SourceText(
                    path: source.path, contents: [0xEF, 0xBB, 0xBF] + Array(text.utf8))
            }
        }
        let before = windows(try fixture.sources("before"))
        let migration = try fixture.migrate(before)
        for (found, expected) in zip(
            migration.applied(to: before), windows(try fixture.sources("after")))
        {
            #expect(found.text == expected.text)
        }
    }

    @Test(arguments: Fixture.all) func `The diff makes the same change`(_ fixture: Fixture) throws {
        let before = try fixture.sources("before")
        for file in try fixture.migrate(before).files {
            let source = try #require(before.first { $0.path == file.path })
            #expect(
                Patch(file.diff).applied(to: source.text)
                    == String(decoding: file.contents, as: UTF8.self))
        }
    }

    @Test func `The folder of fixtures is not empty`() { #expect(Fixture.all.count > 15) }
}

/// A unified diff of one file, applied strictly.
private struct Patch {
    private let lines: [Substring]

    init(_ text: String) {
        lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    }

    /// The text after the change; nil if the diff does not fit.
    func applied(to text: String) -> String? {
        let old = text.split(separator: "\n", omittingEmptySubsequences: false)
        var new: [Substring] = []
        var at = 0
        for line in lines.dropFirst(2) {
            let rest = line.dropFirst()
            switch line.first {
            case "@":
                guard let range = line.split(separator: " ").dropFirst().first,
                    let start = range.dropFirst().split(separator: ",").first.flatMap({ Int($0) }),
                    start - 1 >= at
                else { return nil }
                new += old[at..<start - 1]
                at = start - 1
            case "-", " ":
                guard at < old.count, old[at] == rest else { return nil }
                if line.first == " " { new.append(rest) }
                at += 1
            case "+": new.append(rest)
            default: return nil
            }
        }
        return (new + old[at...]).joined(separator: "\n")
    }
}
