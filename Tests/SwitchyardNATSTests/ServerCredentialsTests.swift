// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
import Foundation
import NATSProbe
import Switchyard
import SwitchyardDistributed
import Testing

@testable import SwitchyardNATS

/// Users, passwords and tokens in the addresses of servers.
@Suite("Credentials in a server's address", .serialized, .timeLimit(.minutes(5)))
struct ServerCredentialsTests {
    @Test(arguments: [
        "p:q", "p@q", "p/q", "p%q", "p%41", "p,q", "p?q#r&s", "pass wörd ✓", "p=';[]{}",
    ])
    func `A password of any characters is taken, in the address and in the options`(
        password: String
    ) async throws {
        let server = try Server(
            configuration: "authorization { user: \"u@v\", password: \"\(password)\" }")
        let escaped = try #require(
            password.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        var options = NATSOptions()
        options.setServers("nats://u%40v:\(escaped)@127.0.0.1:\(server.port)")
        let member = try Member(options)
        #expect(await member.center.waitUntilFlushed(within: .seconds(60)).isEmpty)
        var others = NATSOptions(servers: [server.url])
        others.credentials = .user("u@v", password: password)
        let other = try Member(others)
        #expect(await other.center.waitUntilFlushed(within: .seconds(60)).isEmpty)
    }

    @Test(arguments: [
        ("nats://u:secret%zz@h", "%25"), ("nats://u:secret%@h", "%25"),
        ("nats://u:secret%FF@h", "UTF-8"), ("nats://u:secret%00@h", "control"),
        ("nats://u:secret%22@h", "quotation"),
        ("nats://u:secret%5C@h", "backslash"),
        ("nats://u%3Asecret:x@h", "credentials"), ("nats://secret%3At@h", "credentials"),
        ("tls://u%:secret@h", "%25"),
    ])
    func `A malformed address is an error that says what to write, and no secret`(
        address: String, advice: String
    ) throws {
        let error = #expect(throws: NATSError.self) {
            try Member(NATSOptions(servers: [address]))
        }
        let text = try #require(error?.description)
        #expect(text.contains(advice) && text.contains("://h") && !text.contains("secret"))
    }

    @Test(arguments: [
        NATSOptions.Credentials.user("u", password: "secret\""),
        .user("secret\n", password: "x"), .token("secret\\"),
    ])
    func `Credentials that can't be sent are an error, and in no text`(
        credentials: NATSOptions.Credentials
    ) throws {
        var options = NATSOptions(servers: ["nats://127.0.0.1:1"])
        options.credentials = credentials
        let error = #expect(throws: NATSError.self) { try Member(options) }
        let text = try #require(error?.description)
        #expect(text.contains("backslash") && !text.contains("secret"))
    }

    @Test(arguments: ["s%C3%A9cret%3Aword", "geheim%40wort", "plain-word"])
    func `A password is in no text of the library's, however it is written`(escaped: String) throws
    {
        let address = "nats://user:\(escaped)@h:1"
        let options = NATSOptions(servers: [address])
        let decoded = try #require(try ServerCredentials.decoded(address))
        let text = options.withoutSecrets(
            "bad '\(decoded.address)', '\(address)', '\(decoded.secret)', '\(escaped)'")
        #expect(!text.contains(decoded.secret) && !text.contains(escaped))
        #expect(text.contains("nats://h:1"))
    }
}
#endif
