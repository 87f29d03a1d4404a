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

/// Processes that end without a word, on a server with a client that hears everything.
@Suite("Ended processes and a client that hears everything", .serialized, .timeLimit(.minutes(5)))
struct SilentProcessTests {
    private struct Square: DistributedRequest {
        static let name = Notification.Name("org.example.Square")
        typealias Reply = Int
        var number = 0
    }

    private let limit = Duration.seconds(60)

    @Test(.rule(44))
    func `A process that is killed is waited for no more although a client hears everything`()
        async throws
    {
        let server = try Server()
        let (asker, other) = (try Member(server), try Member(server))
        let listening = try other.listen(to: ">") { _ in }
        await asker.center.waitUntilReady(within: limit)
        let url = server.url
        async let end: Void = {
            await #expect(processExitsWith: .signal(SIGKILL)) { [url = url as String] in
                let member = try Member(NATSOptions(servers: [url]))
                let token = member.center.answer(Square.self, on: .poster) { _ in
                    raise(SIGKILL)
                    return 0
                }
                await member.center.waitUntilReady(within: .seconds(60))
                while true { try await Task.sleep(for: .seconds(60)) }
                withExtendedLifetime(token) {}
            }
        }()
        var code: RequestError.Code?
        await until {
            do {
                _ = try await asker.center.request(Square(), within: limit)
            } catch {
                code = (error as? RequestError)?.code
            }
            return code != .noAnswer
        }
        #expect(code == .targetEnded)
        await end
        // The process that has gone is not waited for any more.
        #expect(await asker.center.waitUntilReady(within: limit).isEmpty)
        withExtendedLifetime(listening) {}
    }

    @Test(.rule(46))
    func `Others get the jobs of a process that was killed although a client hears everything`()
        async throws
    {
        let server = try Server()
        let (poster, other) = (try Member(server), try Member(server))
        let listening = try other.listen(to: ">") { _ in }
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
        let (ready, jobs) = (Log<Int>(), Log<Int>())
        let readiness = poster.numbers("Ready", in: ready)
        await poster.center.waitUntilReady(within: limit)
        _ = await ready.arrival(of: 1)
        try poster.post("Job", -1)
        await end
        await until { poster.problems.entries.contains { $0.contains("members of a group") } }
        let member = other.center.observe(
            Notification.Name("Job"), on: .poster, options: .inGroup("g")
        ) { jobs.add($0.userInfo?["n"] as? Int ?? -1) }
        await other.center.waitUntilReady(within: limit)
        await poster.center.waitUntilReady(within: limit)
        for number in 0..<20 { try poster.post("Job", number) }
        #expect(await jobs.arrival(of: 20) == Array(0..<20))
        for token in [readiness, member] { token.cancel() }
        withExtendedLifetime(listening) {}
    }

    @Test func `A client that hears everything is found, and only such a client`() async throws {
        let server = try Server()
        let (member, other) = (try Member(server), try Member(server))
        let transport = try #require(member.center.engineTransport as? NATSTransport)
        #expect(await onOwnThread { transport.somebodyHearsAll() } == false)
        let few = try other.listen(to: "switchyard.>") { _ in }
        #expect(await other.center.waitUntilFlushed(within: limit).isEmpty)
        #expect(await onOwnThread { transport.somebodyHearsAll() } == false)
        let all = try other.listen(to: "_switchyard.>") { _ in }
        #expect(await other.center.waitUntilFlushed(within: limit).isEmpty)
        #expect(await onOwnThread { transport.somebodyHearsAll() })
        withExtendedLifetime((few, all)) {}
    }

    @Test func `Five questions without an answer mean something after ten seconds`() {
        var silences = PeerSilences()
        let start = ContinuousClock.now
        func note(_ id: String, _ seconds: Int) -> Bool {
            silences.note(id, since: start + .seconds(seconds - 1), at: start + .seconds(seconds))
        }
        // The first question is of the time 0.
        var isLong = [1, 2, 3, 4, 5].map { note("a", $0) }
        #expect(isLong == [false, false, false, false, false])
        isLong = [1, 9, 10, 11].map { note("b", $0) }
        #expect(isLong == [false, false, false, false])
        #expect(note("a", 10))
        #expect(note("b", 12))
        // An answer ends the silence.
        silences.end("a")
        isLong = [13, 14, 15, 16, 17, 21].map { note("a", $0) }
        #expect(isLong == [false, false, false, false, false, false])
        #expect(note("a", 22))
    }
}
#endif
