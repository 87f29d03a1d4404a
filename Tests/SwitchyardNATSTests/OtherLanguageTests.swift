// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
import Foundation
import NATSProbe
import Switchyard
import SwitchyardCore
import SwitchyardDistributed
import SwitchyardNATS
import TestSupport
import Testing

/// Python programs with a NATS client, on the same server.
@Suite("Other languages on NATS", .serialized, .timeLimit(.minutes(5)))
struct OtherLanguageTests {
    /// The interpreter that `./test --traits NATS` sets up.
    private static let python = ".build-python/bin/python3"

    static var isThere: Bool { FileManager.default.isExecutableFile(atPath: python) }

    private func run(_ script: String, _ server: Server) throws -> (Process, Pipe) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Self.python)
        process.arguments = ["-u", "-c", script, server.url]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        return (process, output)
    }

    @Test(.rule(40), .enabled(if: isThere, "run ./test --traits NATS"))
    func `A message published by a Python program is heard, as an event or without a header`()
        async throws
    {
        let server = try Server()
        let hearer = try Member(server)
        let notes = Log<String>()
        let token = hearer.center.observe(undecoded: nil, on: .poster) { received in
            let info = try received.userInfo ?? [:]
            let data = (info[Center.dataKey] as? Data).map { String(decoding: $0, as: UTF8.self) }
            let words = data ?? "\(info.map { "\($0)=\($1)" }.sorted())"
            notes.add(
                "\(received.name.rawValue) \(received.object ?? "nil") "
                    + "\(received.sender.processName) \(words)")
        }
        await hearer.center.waitUntilReady(within: .seconds(60))
        let script = """
            import asyncio, json, nats, sys
            async def main():
                nc = await nats.connect(sys.argv[1])
                head = {'ce-specversion': '1.0', 'ce-id': '1', 'ce-source': '/python',
                        'ce-type': 'org.example.Saved', 'ce-subject': 'text',
                        'ce-datacontenttype': 'application/json'}
                await nc.publish('switchyard.default.text.org.example.Saved',
                                 json.dumps({'n': 1, 'd': 1.5}).encode(), headers=head)
                await nc.publish('switchyard.default.-.plain', b'{"n": 2}')
                await nc.publish('switchyard.default.-.plain', b'bytes')
                await nc.publish('switchyard.default.-.plain', b'')
                await nc.drain()
            asyncio.run(main())
            """
        let (process, _) = try run(script, server)
        let arrived = await notes.arrival(of: 4)
        waitForEnd(of: process)
        #expect(
            arrived == [
                "org.example.Saved text /python [\"d=1.5\", \"n=1\"]", "plain nil ? [\"n=2\"]",
                "plain nil ? bytes", "plain nil ? []",
            ])
        withExtendedLifetime(token) {}
    }

    @Test(.rule(40), .enabled(if: isThere, "run ./test --traits NATS"))
    func `A post is a CloudEvent to a Python program`() async throws {
        let server = try Server()
        let poster = try Member(server)
        let script = """
            import asyncio, json, nats, sys
            async def main():
                nc = await nats.connect(sys.argv[1])
                sub = await nc.subscribe('switchyard.default.*.org.example.>')
                # Not nc.flush(): its PING may overtake the subscription. Publications don't.
                own = await nc.subscribe('own')
                await nc.publish('own')
                await own.next_msg(timeout=60)
                # In one write: it is read at once.
                print('ready\\n', end='')
                for _ in range(2):
                    m = await sub.next_msg(timeout=60)
                    h = m.headers
                    print(m.subject, h['ce-specversion'], h['ce-type'], h.get('ce-subject'),
                          h['ce-datacontenttype'], json.loads(m.data))
                    assert h['ce-source'].startswith('//') and len(h['ce-id']) == 33, h
                    assert len(h['ce-time']) == 27 and h['ce-time'].endswith('Z'), h
                    assert len(h) == (7 if 'ce-subject' in h else 6), h
            asyncio.run(main())
            """
        let (process, output) = try run(script, server)
        let lines = output.fileHandleForReading
        #expect(String(decoding: lines.availableData, as: UTF8.self) == "ready\n")
        poster.center.post(
            name: Notification.Name("org.example.Saved"), object: "a b", userInfo: ["n": 1])
        try poster.post("org.example.Gone", 2)
        let text = String(decoding: try lines.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        #expect(
            text.split(separator: "\n") == [
                "switchyard.default.a%20b.org.example.Saved 1.0 org.example.Saved a%20b "
                    + "application/json {'n': 1}",
                "switchyard.default.-.org.example.Gone 1.0 org.example.Gone None application/json "
                    + "{'n': 2}",
            ])
    }
}
#endif
