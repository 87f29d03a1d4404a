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

/// Groups with members in several processes on a server.
@Suite("Groups on NATS", .serialized, .timeLimit(.minutes(5))) struct GroupTests {
    private let limit = Duration.seconds(60)

    private func work(_ member: Member, in log: Log<Int>) -> ObservationToken {
        member.center.observe(
            Notification.Name("Job"), on: .poster, options: .inGroup("g")
        ) { log.add($0.userInfo?["n"] as? Int ?? -1) }
    }

    /// Publishes as a script does.
    private func publish(_ text: String, to subject: String, on server: Server) throws {
        let message = #"CONNECT {}\r\nPUB \#(subject) \#(text.utf8.count)\r\n\#(text)\r\nPING\r\n"#
        // Waits for the answer to PING: the server has taken the message then.
        try shell(
            "exec 3<>/dev/tcp/127.0.0.1/\(server.port); printf '\(message)' >&3; "
                + "while read -r line <&3; do case $line in PONG*) break;; esac; done")
    }

    @Test(.rule(46)) func `One member hears each post, whichever process posts it`() async throws {
        let server = try Server()
        let members = try (0..<3).map { _ in try Member(server) }
        let (log, plain) = (Log<Int>(), Log<Int>())
        let tokens = members.map { work($0, in: log) } + [members[1].numbers("Job", in: plain)]
        for member in members { await member.center.waitUntilReady(within: limit) }
        for number in 0..<300 { try members[number % 3].post("Job", number) }
        #expect(await log.arrival(of: 300).sorted() == Array(0..<300))
        #expect(await plain.arrival(of: 300).sorted() == Array(0..<300))
        for member in members { await member.center.waitUntilReady(within: limit) }
        #expect(log.entries.count == 300)
        #expect(members.flatMap(\.problems.entries) == [])
        for token in tokens { token.cancel() }
    }

    @Test(.rule(46)) func `What other programs post reaches a member in each process`() async throws
    {
        let server = try Server()
        let members = try (0..<2).map { _ in try Member(server) }
        let log = Log<Int>()
        let tokens = members.map { work($0, in: log) }
        for member in members { await member.center.waitUntilReady(within: limit) }
        try publish(#"{"n":7}"#, to: "switchyard.default.-.Job", on: server)
        #expect(await log.arrival(of: 2) == [7, 7])
        for token in tokens { token.cancel() }
    }

    @Test(.rule(46)) func `What a process is killed with is reported`() async throws {
        let server = try Server()
        let poster = try Member(server)
        await poster.center.waitUntilReady(within: limit)
        let url = server.url
        async let end: Void = {
            await #expect(processExitsWith: .signal(SIGKILL)) { [url = url as String] in
                let member = try Member(NATSOptions(servers: [url]))
                let token = member.center.observe(
                    Notification.Name("Job"), on: .poster, options: .inGroup("g")
                ) { _ in raise(SIGKILL) }
                await member.center.waitUntilReady(within: .seconds(60))
                member.center.post(name: Notification.Name("Ready"), object: nil)
                while true { try await Task.sleep(for: .seconds(60)) }
                withExtendedLifetime(token) {}
            }
        }()
        let ready = Log<Int>()
        let token = poster.numbers("Ready", in: ready)
        await poster.center.waitUntilReady(within: limit)
        _ = await ready.arrival(of: 1)
        try poster.post("Job", 1)
        await end
        await until { poster.problems.entries.contains { $0.contains("members of a group") } }
        #expect(poster.problems.entries.count { $0.contains("members of a group") } == 1)
        token.cancel()
    }
}
#endif
