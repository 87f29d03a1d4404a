// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
import Foundation
import NATSProbe
import SwitchyardCore
import SwitchyardDistributed
import SwitchyardNATS
import TestSupport
import Testing

/// Servers that accept connections and then fall silent.
@Suite("Silent NATS servers", .serialized, .timeLimit(.minutes(5))) struct SilenceTests {
    /// Options with a short time for connecting.
    private func options(_ servers: String...) -> NATSOptions {
        var options = NATSOptions(servers: servers)
        options.connectTimeout = .milliseconds(500)
        return options
    }

    /// The processor time of this process.
    private func processorTime() -> Double { Double(clock()) / Double(CLOCKS_PER_SEC) }

    @Test(.rule(40), arguments: SilentServer.Words.allCases)
    func `A server that falls silent is an error when its time is over`(
        words: SilentServer.Words
    ) throws {
        let silent = try SilentServer(words)
        let scheme = words == .thatItWantsTLS ? "tls" : "nats"
        let start = ContinuousClock.now
        let error = #expect(throws: NATSError.self) {
            try Member(options("\(scheme)://user:secret@127.0.0.1:\(silent.port)"))
        }
        #expect(ContinuousClock.now - start >= .milliseconds(500))
        #expect(ContinuousClock.now - start < .seconds(20))
        #expect(error?.code == .noAnswer)
        #expect(error?.description.contains("127.0.0.1:\(silent.port)") == true)
        #expect(error?.description.contains("secret") == false)
    }

    @Test(.rule(40), arguments: SilentServer.Words.allCases)
    func `Another server of the list is tried after a silent one`(
        words: SilentServer.Words
    ) async throws {
        let (silent, server) = (try SilentServer(words), try Server())
        // The order of the servers is random, so the test tries several times.
        for _ in 0..<6 {
            let member = try Member(options("nats://127.0.0.1:\(silent.port)", server.url))
            #expect(member.center.isConnected)
            #expect(await member.center.waitUntilFlushed(within: .seconds(60)).isEmpty)
        }
    }

    @Test(.rule(40), arguments: SilentServer.Words.allCases)
    func `A center that may start unconnected does, and connects when its server speaks`(
        words: SilentServer.Words
    ) async throws {
        let server = try Server()
        server.end()
        var silent: SilentServer? = try SilentServer(words, port: server.port)
        var options = options(server.url)
        options.startsUnconnected = true
        let member = try Member(options)
        #expect(!member.center.isConnected)
        let before = processorTime()
        await until { member.problems.entries.contains { $0.contains("silent") } }
        #expect(processorTime() - before < 5)
        withExtendedLifetime(silent) { silent = nil }
        try server.start()
        await until { member.center.isConnected }
        #expect(member.center.isConnected)
    }

    @Test(.rule(40), arguments: SilentServer.Words.allCases)
    func `A center that meets a silent server after a break connects to the good one again`(
        words: SilentServer.Words
    ) async throws {
        let server = try Server()
        let member = try Member(options(server.url))
        server.end()
        var silent: SilentServer? = try SilentServer(words, port: server.port)
        await until { member.problems.entries.contains { $0.contains("silent") } }
        #expect(!member.center.isConnected)
        withExtendedLifetime(silent) { silent = nil }
        try server.start()
        await until { member.center.isConnected }
        #expect(await member.center.waitUntilFlushed(within: .seconds(60)).isEmpty)
    }

    @Test(.rule(40)) func `A server that falls silent after the handshake of TLS is an error`()
        throws
    {
        let folder = try Certificates()
        let silent = try SilentServer(
            .thatItWantsTLS,
            certificate: (file: folder.path("server.pem"), key: folder.path("server.key")))
        var options = options("tls://127.0.0.1:\(silent.port)")
        options.tls = NATSOptions.TLS(authorities: folder.path("authority.pem"))
        let error = #expect(throws: NATSError.self) { try Member(options) }
        #expect(error?.code == .noAnswer)
    }

    @Test(.rule(40)) func `A stopped server that goes on is connected to`() async throws {
        let server = try Server()
        var options = options(server.url)
        options.startsUnconnected = true
        server.stop()
        let member = try Member(options)
        #expect(!member.center.isConnected)
        server.send(SIGCONT)
        await until { member.center.isConnected }
        #expect(await member.center.waitUntilFlushed(within: .seconds(60)).isEmpty)
    }

    @Test func `Connecting leaves no descriptor open, whether it succeeds or not`() async throws {
        let (silent, server) = (try SilentServer(.whoItIs), try Server())
        for _ in 0..<3 {
            #expect(throws: NATSError.self) {
                try Member(options("nats://127.0.0.1:\(silent.port)"))
            }
        }
        // libnats closes a connection on a thread of its own.
        #expect(await until { (try? connections(to: silent.port)) == 0 })
        let members = try (0..<20).map { _ in try Member(server) }
        // Each member has one descriptor.
        #expect(try connections(to: server.port) == members.count)
    }

    /// The number of this process's descriptors that are connected to a port.
    private func connections(to port: Int) throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/dev/fd").count { name in
            var address = sockaddr_in()
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let result = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    getpeername(CInt(name) ?? -1, $0, &size)
                }
            }
            return result == 0 && UInt16(bigEndian: address.sin_port) == UInt16(port)
        }
    }

    @Test(.rule(40)) func `Many centers connect at once, each by its own socket`() async throws {
        let server = try Server()
        let members = Log<Member>()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<30 {
                group.addTask {
                    await withCheckedContinuation { continuation in
                        Thread.detachNewThread {
                            if let member = try? Member(server) { members.add(member) }
                            continuation.resume()
                        }
                    }
                }
            }
        }
        #expect(members.entries.count == 30)
        for member in members.entries {
            #expect(await member.center.waitUntilFlushed(within: .seconds(60)).isEmpty)
        }
    }

    /// Under TLS, libnats waits for the socket while it holds its lock.
    @Test(.rule(40)) func `A stopped server with TLS holds up no post and no wait with a limit`()
        async throws
    {
        let folder = try Certificates()
        let server = try Server([
            "--tls", "--tlscert", folder.path("server.pem"), "--tlskey", folder.path("server.key"),
        ])
        var options = NATSOptions(servers: ["tls://127.0.0.1:\(server.port)"])
        options.tls = NATSOptions.TLS(authorities: folder.path("authority.pem"))
        options.bufferBytes = 4 * 1024 * 1024
        let member = try Member(options)
        #expect(await member.center.waitUntilFlushed(within: .seconds(60)).isEmpty)
        server.stop()
        defer { server.send(SIGCONT) }
        let payload = try DistributedPayload(bytes: [UInt8](repeating: 7, count: 64 * 1024))
        let error = await onOwnThread { () -> (any Error)? in
            do {
                while true {
                    _ = try member.center.post(name: Notification.Name("a"), payload: payload)
                }
            } catch {
                return error
            }
        }
        #expect((error as? DistributedPostError)?.code == .bufferIsFull)
        let missing = await onOwnThread {
            member.center.blockUntilFlushed(within: .milliseconds(1))
        }
        #expect(missing.count == 1)
        // The connection would have been given up after a minute.
        #expect(!member.problems.entries.contains { $0.contains("broke") })
        server.send(SIGCONT)
        #expect(await member.center.waitUntilFlushed(within: .seconds(60)).isEmpty)
        withExtendedLifetime(folder) {}
    }
}
#endif
