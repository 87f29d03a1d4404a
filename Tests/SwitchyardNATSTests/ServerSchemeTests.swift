// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
import NATSProbe
import SwitchyardDistributed
import Testing

@testable import SwitchyardNATS

/// The schemes of servers' addresses, which decide about TLS.
@Suite("Schemes of NATS servers", .serialized, .timeLimit(.minutes(5))) struct ServerSchemeTests {
    /// The ways in which a program is given the address of a server.
    enum Source: CaseIterable {
        case options, commandLine, environment, url

        func transport(_ address: String) -> NATSTransport {
            switch self {
            case .options: return .nats(NATSOptions(servers: [address]))
            case .commandLine:
                var options = NATSOptions()
                options.setServers(address)
                return .nats(options)
            case .environment: return .nats(.environment(["NATS_URL": address]))
            case .url: return .nats(address)
            }
        }
    }

    @Test(arguments: Source.allCases, ["TLS://", "Tls://", " tls://", "\ttLS://", "\n tls://"])
    func `The scheme tls demands TLS however it is written`(source: Source, scheme: String) throws {
        let server = try Server()
        let transport = source.transport("\(scheme)u:secret@127.0.0.1:\(server.port) ")
        let error = #expect(throws: NATSError.self) { try Center(transport: transport) }
        #expect(error?.description.contains("check the options for TLS") == true)
        #expect(error?.description.contains("secret") == false)
    }

    @Test(
        arguments: Source.allCases,
        [
            "wss://u:secret@", "ws://u:secret@", "http://u:secret@", "tls+x://u:secret@",
            "secret://", "u:secret://x@", "tls:/u:secret@", "tls//u:secret@", "://u:secret@",
            "t ls://u:secret@",
        ])
    func `Another scheme is an error that says what to write, and shows no password`(
        source: Source, start: String
    ) throws {
        let server = try Server()
        let transport = source.transport("\(start)127.0.0.1:\(server.port)")
        let error = #expect(throws: NATSError.self) { try Center(transport: transport) }
        let text = try #require(error?.description)
        #expect(text.contains("tls://host:4222") && !text.contains("secret"))
    }

    @Test func `Every address of a list is checked, and the error says which one is wrong`()
        throws
    {
        let server = try Server()
        let options = NATSOptions(servers: [server.url, "wss://h", server.url])
        let error = #expect(throws: NATSError.self) { try Member(options) }
        #expect(error?.description.contains("server 2 of 3") == true)
        #expect(throws: NATSError.self) { try Member(NATSOptions(servers: [server.url, " "])) }
    }

    @Test(arguments: Source.allCases, ["NATS://", " nats://", "", " "])
    func `The scheme nats, or none, connects without TLS`(source: Source, scheme: String) throws {
        let server = try Server()
        let center = try Center(transport: source.transport("\(scheme)127.0.0.1:\(server.port)\n"))
        #expect(center.isConnected)
    }
}
#endif
