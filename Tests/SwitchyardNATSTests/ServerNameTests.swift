// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
import Foundation
import NATSProbe
import Switchyard
import SwitchyardDistributed
import TestSupport
import Testing

@testable import SwitchyardNATS

/// Names of servers and domains, which keep credentials to themselves.
@Suite("Names without credentials", .serialized, .timeLimit(.minutes(5))) struct ServerNameTests {
    @Test(.rule(40), arguments: ["org/example", "a\\b", "", String(repeating: "long", count: 100)])
    func `A domain name that no stream can have is an error at once`(domain: String) throws {
        // The error comes before a server is asked.
        let options = NATSOptions(servers: ["nats://127.0.0.1:1"], domain: domain)
        let error = #expect(throws: NATSError.self) { try Member(options) }
        #expect(error?.description.contains("domain") == true)
        #expect(error?.description.contains("connect") == false)
    }

    @Test(.rule(40)) func `No password is in an error, a problem or the name of a server`()
        async throws
    {
        let server = try Server()
        let member = try Member(server.options("user"))
        let transport = try #require(member.center.engineTransport as? NATSTransport)
        #expect(transport.server.processName == "nats://127.0.0.1:\(server.port)")
        server.end()
        #expect(await until { member.problems.entries.contains { $0.contains("broke") } })
        #expect(member.problems.entries.allSatisfy { !$0.contains("the-secret") })
        let missing = await member.center.waitUntilFlushed(within: .milliseconds(10))
        #expect(missing.map(\.processName) == ["nats://127.0.0.1:\(server.port)"])
        let error = #expect(throws: NATSError.self) { try Member(server.options("user")) }
        #expect(error?.description.contains("the-secret") == false)
        for url in [
            "nats://u:the,secret@127.0.0.1:1", "nats://u:se:cret@h:x", "nats://se,cret@h:1",
        ] {
            var options = NATSOptions()
            options.setServers(url)
            let error = #expect(throws: NATSError.self) { try Member(options) }
            #expect(error?.description.contains("secret") == false)
            #expect(error?.description.contains("cret") == false)
            #expect(error?.description.contains("'the'") == false)
        }
    }

    @Test(arguments: [
        ("nats://a:b@h:1", "nats://h:1"), ("nats://token@h", "nats://h"), ("h:1", "nats://h:1"),
        ("nats://a:p@ss@h:1,tls://x", "nats://h:1, tls://x"), ("nats://[::1]", "nats://[::1]"),
        ("nats://a:b,c@h:1", "nats://a, nats://h:1"), ("nats://[::1]:7", "nats://[::1]:7"),
        ("nats://a:12,c@h:1", "nats://a, nats://h:1"), ("a:b@h:1,i:2", "nats://h:1, nats://i:2"),
        ("nats://a:12,b,c@h:1", "nats://a, nats://(hidden), nats://h:1"),
    ])
    func `Servers are named by where they are`(list: String, names: String) {
        #expect(NATSOptions.names(ofServers: list) == names)
    }
}
#endif
