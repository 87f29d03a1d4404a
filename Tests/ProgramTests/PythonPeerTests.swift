// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import TestSupport
import Testing

/// A peer that was written from `docs/wire-protocol.md` alone talks to the center. The tests need
/// python3.
@Suite(
    "A peer in Python", .serialized, .timeLimit(.minutes(5)), .enabled(if: pythonInterpreter != nil)
)
struct PythonPeerTests {
    @Test func `Python hears the center's posts of topics that it asked for, and no others`()
        async throws
    {
        let talk = try await Talk.between(Probe.swift("answer"), and: Probe.python("ask"))
        #expect(talk.answerer == ["ready 0"])
        #expect(
            talk.asker == [
                "ready 0",
                "1 Sample 'text' from wire-probe False",
                "  {array: [1, 'two', [3.0]], big: 18446744073709551615, data: b'\\xca\\xfe', "
                    + "date: date(86400.25), double: 2.5, empty: {}, float: 0.5, int: -5, "
                    + "int8: -128, no: False, text: 'Größe 🚉', uint32: 4294967295, yes: True}",
                "2 Added None from wire-probe False",
                "  {count: 3, format: 'RTF'}",
                "3 Sample None from wire-probe False",
                "  b'\\xca\\xfe'",
                "4 Sample '' from wire-probe True",
                "  None",
            ])
        #expect(talk.socketsLeft == [])
    }

    @Test func `The center hears Python's posts of topics that it asked for, and no others`()
        async throws
    {
        let talk = try await Talk.between(Probe.python("answer"), and: Probe.swift("ask"))
        #expect(talk.answerer == ["ready 0"])
        #expect(
            talk.asker == [
                "ready 0",
                "python: answers true, has a status true",
                "1 Sample about \"text\"",
                "  [array: [Int(1), String(two), [Double(3.0)]], big: UInt(18446744073709551615), "
                    + "data: Data(cafe), date: Date(86400.25), double: Double(2.5), empty: [], "
                    + "int: Int(-5), no: Bool(false), text: String(Größe 🚉), yes: Bool(true)]",
                "2 Added",
                "  Added(format: \"RTF\", count: 3)",
                "3 Added",
                "  Added(format: \"HTML\", count: 4)",
                "4 Sample",
                "  [org.switchyard.data: Data(cafe)]",
                "5 Sample about \"\"",
                "  []",
            ])
        #expect(talk.socketsLeft == [])
    }

    @Test func `Python prints notifications as the tool does`() async throws {
        let folder = try TestFolder()
        let modules = Probe.root.appendingPathComponent("Examples/Peers/python").path
        let python = "export PYTHONDONTWRITEBYTECODE=1 PYTHONPATH='\(modules)'; exec python3"
        let peer = "\(python) '\(modules)/switchyard_peer.py'"
        let hearers = [
            try ToolProcess("observe", "--json", "--count", "5", in: folder),
            try ToolProcess(script: "\(peer) observe --count 5", in: folder),
        ]
        for hearer in hearers { try await hearer.ready() }
        try await run("post", "None", in: folder)
        let typed = ["n=1", "x=1e3", "s=007", #"o:={"b":[1,{}],"a":"é\u0085"}"#]
        try await run(["post", "Typed", "--object", "", "--info"] + typed, in: folder)
        let inPython = typed.map { "--info '\($0)'" }.joined(separator: " ")
        let others = [
            "\(peer) post Typed --object '' \(inPython)",
            #"\#(peer) post Message --message '{"b":1.5,"a":[null,true,"x"]}'"#,
            """
            \(python) - <<'END'
            import asyncio, datetime, switchyard_peer
            async def main():
                date = datetime.datetime(2026, 1, 2, 3, 4, 5, 250000, datetime.timezone.utc)
                async with switchyard_peer.Peer(name="a b") as peer:
                    peer.post("All", "x", {"date": date, "data": b"abc", "inf": -float("inf")})
            asyncio.run(main())
            END
            """,
        ]
        for script in others {
            #expect(try await ToolProcess(script: script, in: folder).end() == 0)
        }
        let lines = [await hearers[0].output.all(), await hearers[1].output.all()]
        #expect(lines[0] == lines[1])
        #expect(lines[0].count == 5)
        let infos = lines[0].dropFirst().prefix(2)
            .compactMap { $0.split(separator: "sender").first }
        #expect(infos.first == infos.last)
    }

    @Test(.rule(37))
    func `Python says its farewell, and tells a whole farewell from one that is cut off`()
        async throws
    {
        let folder = try TestFolder()
        let program = Probe.root.appendingPathComponent("Examples/Peers/python/switchyard_peer.py")
        let peer = "exec python3 '\(program.path)'"
        let observer = try ToolProcess("observe", "L", in: folder)
        let python = try ToolProcess(script: "\(peer) observe L --count 4", in: folder)
        for hearer in [observer, python] { try await hearer.ready() }
        // Whole farewells come first, of Python and of the tool. The hearers report no loss.
        #expect(try await ToolProcess(script: "\(peer) post L", in: folder).end() == 0)
        #expect(try await run("post", "L", in: folder).status == 0)
        let poster = try ToolProcess("post", "L", "--lines", in: folder)
        poster.write("one\n")
        for hearer in [observer, python] {
            for _ in 1...3 { _ = try #require(await hearer.output.next()) }
        }
        poster.send(SIGKILL)
        for hearer in [observer, python] {
            let said = try #require(await hearer.errors.next())
            #expect(said.contains("\(poster.processIdentifier)"), "\(said)")
            #expect(said.contains("may be lost"), "\(said)")
        }
        try await run("post", "L", in: folder)
        #expect(await python.end() == 0)
        observer.send(SIGINT)
        #expect(await observer.end() == 0)
        let said = await observer.errors.all()
        #expect(said.count { $0.contains("may be lost") } == 1)
        #expect(said.last == "received: 4, printed: 4, lost: an unknown number")
    }

    @Test(.rule(37)) func `Python goes by the largest of several farewells`() async throws {
        let folder = try TestFolder()
        let modules = Probe.root.appendingPathComponent("Examples/Peers/python").path
        let script = """
            export PYTHONDONTWRITEBYTECODE=1 PYTHONPATH='\(modules)'; exec python3 - <<'END'
            import struct, switchyard_peer, switchyard_wire as wire
            inlet = switchyard_peer.Inlet.__new__(switchyard_peer.Inlet)
            inlet.has_promised = True
            peer = switchyard_peer.Peer.__new__(switchyard_peer.Peer)
            for number in [3, 5, 2, 0, 2**63]:
                body = wire.Reader(struct.pack("<Q", number))
                peer.take_from_poster(inlet, wire.FAREWELL, body)
            print(inlet.farewell)
            END
            """
        let python = try ToolProcess(script: script, in: folder)
        #expect(await python.end() == 0)
        #expect(await python.output.all() == ["5"])
    }

    @Test(.rule(37)) func `The traces of a killed Python process go when the next process joins`()
        async throws
    {
        let talk = try await Talk.between(
            Probe.python("answer"), and: Probe.swift("join"), killsFirst: true)
        #expect(talk.answerer == ["ready 0"])
        #expect(talk.socketsLeft == [])
    }
}

/// A program that can be started.
private struct Probe: Sendable {
    let url: URL
    let arguments: [String]

    static let root = (0..<3).reduce(URL(fileURLWithPath: #filePath)) { url, _ in
        url.deletingLastPathComponent()
    }

    static func python(_ what: String) throws -> Probe {
        let script = root.appendingPathComponent("Tests/Programs/wire-probe/wire_probe.py")
        return Probe(url: try #require(pythonInterpreter), arguments: [script.path, what, "talk"])
    }

    static func swift(_ what: String) throws -> Probe {
        let folder =
            Bundle.allBundles.map(\.bundleURL)
            .first { $0.pathExtension == "xctest" }?.deletingLastPathComponent()
            ?? Bundle.main.executableURL?.deletingLastPathComponent()
        let url = try #require(folder).appendingPathComponent("wire-probe")
        return Probe(url: url, arguments: [what, "talk"])
    }

    /// Starts the program among the processes that meet in `folder`.
    func start(in folder: URL) throws -> (process: Process, output: FileHandle) {
        let process = Process()
        process.executableURL = url
        process.arguments = arguments
        var environment = ProcessInfo.processInfo.environment
        environment["SWITCHYARD_RUNTIME_DIR"] = folder.path
        environment["PYTHONPATH"] = Self.root.appendingPathComponent("Examples/Peers/python").path
        environment["PYTHONDONTWRITEBYTECODE"] = "1"
        process.environment = environment
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        return (process, pipe.fileHandleForReading)
    }
}

/// The output of two programs, one of which answered the other.
private struct Talk: Sendable {
    var answerer: [String] = []
    var asker: [String] = []
    var socketsLeft: [String] = []

    /// Starts `answerer`, then `asker` when the first is ready, and waits for both.
    static func between(
        _ answerer: Probe, and asker: Probe, killsFirst: Bool = false
    ) async throws -> Talk {
        try await withCheckedThrowingContinuation { ended in
            // A thread of its own may wait for the programs as long as it takes.
            Thread { ended.resume(with: Result { try run(answerer, asker, killsFirst) }) }.start()
        }
    }

    private static func run(_ answerer: Probe, _ asker: Probe, _ killsFirst: Bool) throws -> Talk {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("switchyard-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var talk = Talk()
        let first = try answerer.start(in: folder)
        var said = Data()
        while !said.contains(UInt8(ascii: "\n")) {
            let more = first.output.availableData
            if more.isEmpty { break }
            said += more
        }
        if killsFirst {
            kill(first.process.processIdentifier, SIGKILL)
            first.process.waitUntilExit()
        }
        let second = try asker.start(in: folder)
        talk.asker = lines(second.output.readDataToEndOfFile())
        second.process.waitUntilExit()
        talk.answerer = lines(said + first.output.readDataToEndOfFile())
        first.process.waitUntilExit()
        talk.socketsLeft = try FileManager.default.contentsOfDirectory(
            atPath: folder.appendingPathComponent("switchyard/talk").path)
        return talk
    }

    private static func lines(_ data: Data) -> [String] {
        String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}
