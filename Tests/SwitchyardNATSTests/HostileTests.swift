// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
import Foundation
import NATSProbe
import SwitchyardCore
import SwitchyardDistributed
import SwitchyardNATS
import TestSupport
import Testing

/// Clients that send messages that no process of ours sends.
@Suite("Hostile clients of NATS", .serialized, .timeLimit(.minutes(5))) struct HostileTests {
    /// A client that speaks the protocol itself, line by line.
    private final class Client {
        private let input = Pipe()
        private let process = Process()

        init(_ server: Server) throws {
            process.executableURL = URL(fileURLWithPath: "/bin/bash")
            process.arguments = ["-c", "exec 3<>/dev/tcp/127.0.0.1/\(server.port); exec cat >&3"]
            process.standardInput = input
            try process.run()
            write("CONNECT {\"verbose\":false,\"headers\":true}\r\n")
        }

        deinit {
            try? input.fileHandleForWriting.close()
            // Processes that were started at the same time may have copies of the pipe, and
            // Dispatch's threads, on which it may have been started, block SIGTERM.
            kill(process.processIdentifier, SIGKILL)
            waitForEnd(of: process)
        }

        func write(_ text: String) { input.fileHandleForWriting.write(Data(text.utf8)) }

        func publish(_ subject: String, reply: String = "", _ data: String) {
            write("PUB \(subject) \(reply) \(data.utf8.count)\r\n\(data)\r\n")
        }
    }

    @Test(.rule(40)) func `Impossible sequence numbers harm nobody`() async throws {
        let server = try Server()
        let (hearer, poster) = (try Member(server), try Member(server))
        let notes = Log<Int>()
        let token = hearer.numbers("a", in: notes)
        await hearer.center.waitUntilReady(within: .seconds(60))
        let client = try Client(server)
        let process = "0123456789abcdef"
        for (topic, place) in [
            ("00000001", "ffffffffffffffff"), ("00000001", "7fffffffffffffff"),
            ("00000002", "7fffffffffffffff"), ("00000002", "0000000000000001"),
            ("00000003", "0000000000000001"), ("00000003", "7fffffffffffffff"),
            ("00000004", "0000000000000001"), ("00000004", "7fffffffffffffff"),
        ] {
            let reply = "_SWY.\(process).\(place).\(topic).\(place).j"
            client.publish("switchyard.default.-.a", reply: reply, #"{"n":-2}"#)
        }
        client.publish("switchyard.default.-.a", reply: "_SWY.short", "{\"n\":-3}")
        await until { notes.entries.contains(-3) }
        try poster.post("a", 1)
        await until { notes.entries.last == 1 }
        withExtendedLifetime(token) {}
    }

    @Test(.rule(40)) func `A name sent in place of an id does not get into the protocol`()
        async throws
    {
        let server = try Server()
        let (hearer, other) = (try Member(server), try Member(server))
        let notes = Log<Int>()
        let token = other.numbers("pwned", in: notes)
        await other.center.waitUntilReady(within: .seconds(60))
        let client = try Client(server)
        let text = #"{"n":1}"#
        let id = "a 0\\r\\n\\r\\nPUB switchyard.default.-.pwned 7\\r\\n{\\\"n\\\":1}\\r\\nPUB b"
        client.publish(
            "_switchyard.default.all",
            "{\"id\":\"\(id)\",\"process\":1,\"name\":\"x\",\"host\":\"h\",\"interests\":[],\"published\":0}"
        )
        await hearer.center.waitUntilReady(within: .seconds(2))
        #expect(hearer.center.peers.map(\.peer.id) == [other.center.ownPeer.id])
        let stranger = DistributedPeer(id: "b 0", processIdentifier: 1, processName: "x")
        #expect(await hearer.center.ping(stranger, within: .seconds(2)) == nil)
        client.publish("switchyard.default.-.pwned", text.replacing("1", with: "2"))
        #expect(await notes.arrival(of: 1) == [2])
        withExtendedLifetime(token) {}
    }

    @Test(.rule(40)) func `A name too long for a server is reported, and other names are observed`()
        async throws
    {
        let server = try Server()
        let (hearer, poster) = (try Member(server), try Member(server))
        let notes = Log<Int>()
        let name = String(repeating: "x", count: 5_000)
        let tokens = [hearer.numbers(name, in: notes), hearer.numbers("a", in: notes)]
        await hearer.center.waitUntilReady(within: .seconds(60))
        #expect(throws: DistributedPostError.self) { try poster.post(name, 0) }
        try poster.post("a", 1)
        #expect(await notes.arrival(of: 1) == [1])
        #expect(hearer.problems.entries.contains { $0.contains("5021 bytes") })
        #expect(!hearer.problems.entries.contains { $0.contains("broke") })
        withExtendedLifetime(tokens) {}
    }

    @Test func `A center that is given up lets go of its transport`() async throws {
        let server = try Server()
        weak var transport: NATSTransport?
        try {
            let own = NATSTransport(NATSOptions(servers: [server.url]))
            transport = own
            let center = try Center(transport: own)
            try center.post(name: Notification.Name("a"), payload: .none)
        }()
        await until { transport == nil }
        #expect(transport == nil)
    }
}
#endif
