// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Testing

@testable import SwitchyardInspection

@Suite struct FrameSymbolTests {
    @Test func `addr2line's answers are read, also for functions that were inlined`() {
        let answers = FrameSymbol.read(
            """
            0x0000000000001234
            $s3app4postyyF
            /home/me/app/Sources/app/Post.swift:12
            main
            /home/me/app/Sources/app/main.swift:3 (discriminator 2)
            0x0000000000005678
            ??
            ??:0
            0x0000000000009abc

            """)
        #expect(
            answers == [
                [
                    FrameSymbol(
                        file: "/home/me/app/Sources/app/Post.swift", line: 12,
                        function: "$s3app4postyyF"),
                    FrameSymbol(
                        file: "/home/me/app/Sources/app/main.swift", line: 3, function: "main"),
                ],
                [FrameSymbol(file: nil, line: 0, function: nil)],
                [],
            ])
    }

    @Test func `Text that is no answer is read as none`() {
        #expect(FrameSymbol.read("") == [])
        #expect(FrameSymbol.read("addr2line: 'x': No such file\n") == [])
        #expect(FrameSymbol.read("0x1\nf\n") == [[]])
        #expect(
            FrameSymbol.read("0x1\nf\nplace\n") == [
                [FrameSymbol(file: "place", line: nil, function: "f")]
            ])
    }
}
