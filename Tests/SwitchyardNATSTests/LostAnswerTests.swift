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

/// Copies of refused notifications whose answers are lost, and durable observers of processes that
/// leave.
@Suite("Lost answers to durable observers", .serialized, .timeLimit(.minutes(5)))
struct LostAnswerTests {
    private struct Refused: Error {}

    private let name = Notification.Name("a")

    @Test(.rule(40))
    func `A refused notification is kept once when the answer to its copy is lost`()
        async throws
    {
        let server = try Server(["-js"])
        var options = NATSOptions(servers: [server.url])
        options.durableTries = 2
        let (member, poster) = (try Member(options), try Member(server))
        let transport = try #require(member.center.engineTransport as? NATSTransport)
        let (notes, isStopped) = (Log<Int>(), DispatchSemaphore(value: 0))
        let token = try member.center.observe(
            durable: "d", name, on: .dispatchQueue(DispatchQueue(label: "busy"))
        ) {
            notes.add(number($0))
            if notes.entries.count == 1 { isStopped.wait() }
            throw Refused()
        }
        try poster.post("a", 1)
        #expect(await notes.arrival(of: 1) == [1])
        #expect(await poster.center.waitUntilFlushed(within: .seconds(60)).isEmpty)
        // The server gets the copy when it goes on, and nobody waits for its answer any more.
        server.stop()
        isStopped.signal()
        #expect(
            await until {
                transport.jetStream.endRequests()
                return member.problems.entries.contains { $0.contains("holds up others") }
            })
        server.send(SIGCONT)
        #expect(
            await until {
                let refused = try? poster.center.refused().count
                return refused != 0 && (try? poster.count(in: "SWITCHYARD-default")) == 0
                    && (try? poster.count(in: "SWITCHYARD_REFUSED-default")) == refused
            })
        // The notification, once more because it had no answer, and its copy.
        #expect(notes.entries == [1, 1, 1])
        #expect(try poster.center.refused().count == 1)
        withExtendedLifetime(token) {}
    }

    @Test(.rule(40)) func `A center that goes calls no durable handler any more`() throws {
        let server = try Server(["-js"])
        for _ in 0..<20 {
            let member = try Member(server)
            let token = try member.center.observe(durable: "d", name, on: .poster) { _ in }
            #expect(!token.desk.isPaused)
            (member.center.engineTransport as? NATSTransport)?.stop()
            // From then on no answer comes to the copies of what the handler refuses.
            #expect(token.desk.isPaused)
        }
    }

    private static let observation = Guarded<DurableObservation?>(nil)

    @Test(.rule(40)) func `A process that exits calls no durable handler any more`() async throws {
        let server = try Server(["-js"])
        await #expect(processExitsWith: .exitCode(17)) { [url = server.url as String] in
            // Called last: the transport adds a function of its own behind this one.
            atexit { _exit(Self.observation.withLock { $0 }?.desk.isPaused == true ? 17 : 1) }
            let member = try Member(NATSOptions(servers: [url]))
            let token = try member.center.observe(
                durable: "d", Notification.Name("a"), on: .poster
            ) { _ in }
            _ = Self.observation.exchange(token)
            exit(0)
        }
    }
}
#endif
