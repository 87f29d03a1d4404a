// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import Testing

@testable import SwitchyardConsole

@Suite("A file's bytes, split into lines")
struct LineSplitterTests {
    /// Splits `text`, given in blocks of at most `block` bytes.
    private func lengths(_ text: [UInt8], inBlocksOf block: Int) -> [Int] {
        var splitter = LineSplitter()
        var lengths: [Int] = []
        var rest = text[...]
        while !rest.isEmpty {
            let room = splitter.room()
            let count = min(room.count, rest.count, block)
            room.copyBytes(from: rest.prefix(count))
            rest = rest.dropFirst(count)
            splitter.didRead(count)
            while let line = splitter.next() { lengths.append(line.count) }
        }
        if let line = splitter.takeRest() { lengths.append(line.count) }
        return lengths
    }

    @Test("Lines come without their newlines, empty ones and an unfinished last one too")
    func linesComeWithoutNewlines() {
        #expect(lengths(Array("one\n\ntwo\nlast".utf8), inBlocksOf: 3) == [3, 0, 3, 4])
        #expect(lengths(Array("one\n".utf8), inBlocksOf: 64) == [3])
        #expect(lengths([], inBlocksOf: 64) == [])
    }

    @Test("A piece of a line says whether the line goes on")
    func piecesSayWhetherTheLineGoesOn() {
        let longest = LineSplitter.longestLine
        let x = UInt8(ascii: "x")
        var splitter = LineSplitter()
        var areCut: [Bool] = []
        for length in [1, longest, longest + 1, 2 * longest + 1, 1] {
            var rest = ([UInt8](repeating: x, count: length) + [UInt8(ascii: "\n")])[...]
            while !rest.isEmpty {
                let room = splitter.room()
                let count = min(room.count, rest.count)
                room.copyBytes(from: rest.prefix(count))
                rest = rest.dropFirst(count)
                splitter.didRead(count)
                while let line = splitter.next() { areCut.append(line.isCut) }
            }
        }
        #expect(areCut == [false, false, true, false, true, true, false, false])
    }

    @Test("A line is cut between characters, and inside of bytes that are none")
    func linesAreCutBetweenCharacters() {
        let longest = LineSplitter.longestLine
        let euros = [UInt8](repeating: UInt8(ascii: "x"), count: longest - 2) + Array("€€".utf8)
        #expect(lengths(euros, inBlocksOf: 40_000) == [longest - 2, 6])
        let bytes = [UInt8](repeating: 0x80, count: longest + 3)
        #expect(lengths(bytes, inBlocksOf: 40_000) == [longest, 3])
    }

    @Test(
        "A line is cut at the longest length, however many bytes it is longer",
        arguments: [
            (0, [0]), (1, [0, 1]), (5_000, [0, 5_000]), (LineSplitter.longestLine, [0, 0]),
            (LineSplitter.longestLine + 1, [0, 0, 1]),
        ])
    func longLinesAreCut(extra: Int, pieces: [Int]) {
        let longest = LineSplitter.longestLine
        let text =
            [UInt8](repeating: UInt8(ascii: "x"), count: longest + extra) + Array("\nend".utf8)
        let expected = pieces.map { $0 == 0 ? longest : $0 } + [3]
        #expect(lengths(text, inBlocksOf: 40_000) == expected)
    }
}
