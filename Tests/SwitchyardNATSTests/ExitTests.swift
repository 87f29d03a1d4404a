// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
import Foundation
import NATSProbe
import Switchyard
import SwitchyardCore
import SwitchyardDistributed
import TestSupport
import Testing

@testable import SwitchyardNATS

/// Processes that exit while a center ends.
@Suite("Exits of processes on a cluster", .serialized, .timeLimit(.minutes(5)))
struct ExitTests {
    private let name = Notification.Name("a")

    @Test(.rule(40))
    func `Lost posts are reported once when the process exits while the center goes`()
        async throws
    {
        let server = try Server()
        let poster = try Member(server)
        let transport = try #require(poster.center.engineTransport as? NATSTransport)
        server.end()
        #expect(await until { poster.problems.entries.contains { $0.contains("broke") } })
        for number in 0..<3 { try poster.post("a", number) }
        transport.leaveStream(isThrough: false, within: .zero)
        transport.leaveStream(isThrough: false, within: .zero)
        #expect(poster.losses.entries.map(\.count) == [3])
    }

    @Test(.rule(40))
    func `A process that exits waits for a center that has just gone`() async throws {
        let server = try Server(["-js"])
        let member = try Member(server)
        try member.center.observe(durable: "d", name, on: .poster) { _ in }.cancel()
        let identifier = try #require(server.processIdentifier)
        await #expect(processExitsWith: .exitCode(17)) {
            [url = server.url as String, identifier = identifier as Int32] in
            try Self.exitAfterPosts(url, identifier)
        }
        server.send(SIGCONT)
        #expect(await member.center.waitUntilFlushed(within: .seconds(60)).isEmpty)
    }

    /// Posts to a server that answers no more, lets the center go, and exits. The status is 17 if
    /// all posts were told as lost.
    private static func exitAfterPosts(_ url: String, _ server: Int32) throws {
        var poster: Member? = try Member(NATSOptions(servers: [url]))
        let lost = Log<UInt64>()
        poster?.center.onLoss { loss in
            lost.add(loss.count)
            if lost.entries.reduce(0, +) == 5 { _exit(17) }
        }
        // A busy server may leave the first question about the stream without an answer.
        let transport = poster?.center.engineTransport as? NATSTransport
        while transport?.knowsStream == false { usleep(1_000) }
        stopProcess(server)
        for number in 0..<5 { try poster?.post("a", number) }
        poster = nil
        exit(0)
    }

    @Test(.rule(40)) func `A connection with TLS works until the end of the process's exit`()
        async throws
    {
        let folder = try Certificates()
        let server = try Server([
            "--tls", "--tlscert", folder.path("server.pem"), "--tlskey", folder.path("server.key"),
        ])
        await #expect(processExitsWith: .exitCode(17)) {
            [
                url = "tls://127.0.0.1:\(server.port)" as String,
                authorities = folder.path("authority.pem") as String
            ] in
            setenv("NATS_URL", url, 1)
            setenv("NATS_CA", authorities, 1)
            // The first handler is called last, after a handler of OpenSSL's.
            atexit { _exit((try? Center(transport: .nats()))?.isConnected == true ? 17 : 18) }
            let center = try Center(transport: .nats())
            #expect(center.isConnected)
            exit(0)
        }
        withExtendedLifetime(folder) {}
    }
}
#endif
