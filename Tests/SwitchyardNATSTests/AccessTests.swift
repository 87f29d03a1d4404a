// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
import Foundation
import NATSProbe
import SwitchyardDistributed
import SwitchyardNATS
import TestSupport
import Testing

/// Credentials and encryption of connections to NATS servers.
@Suite("Access to NATS servers", .serialized, .timeLimit(.minutes(5))) struct AccessTests {
    /// Connects, and hears something.
    private func connects(_ options: NATSOptions) async throws {
        let (poster, hearer) = (try Member(options), try Member(options))
        let notes = Log<Int>()
        let token = hearer.numbers("a", in: notes)
        await hearer.center.waitUntilReady(within: .seconds(60))
        try poster.post("a", 1)
        #expect(await notes.arrival(of: 1) == [1])
        withExtendedLifetime(token) {}
    }

    /// Sends in both directions at once, as much as there is room for.
    private func burst(_ options: NATSOptions) async throws {
        let members = [try Member(options), try Member(options)]
        let notes = members.map { _ in Log<Int>() }
        let tokens = [
            members[0].numbers("b", in: notes[0]), members[1].numbers("c", in: notes[1]),
        ]
        for member in members { await member.center.waitUntilReady(within: .seconds(60)) }
        for number in 0..<30_000 {
            try members[1].post("b", number)
            try members[0].post("c", number)
        }
        for notes in notes {
            #expect(await notes.arrival(of: 30_000) == Array(0..<30_000))
        }
        withExtendedLifetime(tokens) {}
    }

    @Test(.rule(40)) func `The scheme tls demands encryption, whatever the server says`() throws {
        let server = try Server()
        let options = NATSOptions(servers: ["tls://127.0.0.1:\(server.port)"])
        #expect(refusal(options).contains("check the options for TLS"))
    }

    private func refusal(_ options: NATSOptions) -> String {
        do {
            _ = try Member(options)
            return ""
        } catch {
            return "\(error)"
        }
    }

    @Test(.rule(40)) func `A server that asks for a name and a password gets them`() async throws {
        let server = try Server(["--user", "somebody", "--pass", "secret"])
        var options = NATSOptions(servers: [server.url])
        #expect(refusal(options).contains("check the credentials"))
        options.credentials = .user("somebody", password: "wrong")
        #expect(refusal(options).contains("check the credentials"))
        options.credentials = .user("somebody", password: "secret")
        try await connects(options)
        try await connects(
            NATSOptions(servers: ["nats://somebody:secret@127.0.0.1:\(server.port)"]))
        let variables = [
            "NATS_URL": server.url, "NATS_USER": "somebody", "NATS_PASSWORD": "secret",
        ]
        try await connects(.environment(variables))
    }

    @Test(.rule(40)) func `A server that asks for a token gets it`() async throws {
        let server = try Server(["--auth", "token"])
        var options = NATSOptions(servers: [server.url])
        #expect(refusal(options).contains("check the credentials"))
        options.credentials = .token("token")
        try await connects(options)
    }

    @Test(.rule(40)) func `A credentials file opens a server that trusts its operator`()
        async throws
    {
        let (trusted, other) = (try Operator(), try Operator())
        let server = try Server(configuration: trusted.configuration)
        var options = NATSOptions(servers: [server.url])
        #expect(refusal(options).contains("check the credentials"))
        options.credentials = .file(try other.makeUser())
        #expect(refusal(options).contains("check the credentials"))
        options.credentials = .file("/nowhere/user.creds")
        #expect(refusal(options).contains("/nowhere/user.creds"))
        let file = try trusted.makeUser()
        options.credentials = .file(file)
        try await connects(options)
        try await connects(.environment(["NATS_URL": server.url, "NATS_CREDS": file]))
    }

    @Test(.rule(40)) func `A credentials file opens a server each time, whatever the signature is`()
        throws
    {
        let trusted = try Operator()
        let server = try Server(configuration: trusted.configuration)
        var options = NATSOptions(servers: [server.url])
        options.credentials = .file(try trusted.makeUser())
        // One of 256 signatures begins with a zero byte.
        for _ in 0..<600 {
            _ = try DistributedNotificationCenter(transport: .nats(options))
        }
    }

    @Test(.rule(40)) func `TLS accepts a certificate of the named authority, and no other`()
        async throws
    {
        let folder = try Certificates()
        let server = try Server([
            "--tls", "--tlscert", folder.path("server.pem"), "--tlskey", folder.path("server.key"),
            "--tlsverify", "--tlscacert", folder.path("authority.pem"),
        ])
        var options = NATSOptions(servers: ["tls://127.0.0.1:\(server.port)"])
        options.tls = NATSOptions.TLS(
            authorities: folder.path("authority.pem"), certificate: folder.path("client.pem"),
            key: folder.path("client.key"), serverName: "localhost")
        try await connects(options)
        try await burst(options)
        options.tls?.authorities = folder.path("other.pem")
        #expect(!refusal(options).isEmpty)
        options.tls?.authorities = folder.path("authority.pem")
        options.tls?.certificate = nil
        #expect(!refusal(options).isEmpty)
        options.tls?.certificate = folder.path("nothing.pem")
        #expect(refusal(options).contains("nothing.pem"))
    }

    @Test(.rule(40)) func `An address that can't be a server is an error`() {
        #expect(refusal(NATSOptions(servers: [])).contains("name one"))
        #expect(refusal(NATSOptions(servers: ["nats://127.0.0.1:1"])).contains("nats-server"))
    }
}
#endif
