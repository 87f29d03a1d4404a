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

/// Requests of processes on a server.
@Suite("Requests on NATS", .serialized, .timeLimit(.minutes(5))) struct RequestTests {
    private struct Square: DistributedRequest {
        static let name = Notification.Name("org.example.Square")
        typealias Reply = Int
        var number = 0
    }

    private let limit = Duration.seconds(60)

    private func code(_ body: () async throws -> some Any) async -> RequestError.Code? {
        do {
            _ = try await body()
            return nil
        } catch {
            return (error as? RequestError)?.code
        }
    }

    private func answer(_ member: Member, _ add: Int = 0) -> ObservationToken {
        member.center.answer(Square.self, on: .poster) { $0.number * $0.number + add }
    }

    @Test(.rule(44)) func `All who answer are asked, and nobody else is waited for`() async throws {
        let server = try Server()
        let members = try (0..<3).map { _ in try Member(server) }
        let tokens = members.enumerated().map { answer($1, $0) }
        for member in members { await member.center.waitUntilReady(within: limit) }
        let asker = try Member(server)
        await asker.center.waitUntilReady(within: limit)
        let all = try await asker.center.request(Square(number: 3), .all, within: limit)
        #expect(all.sorted() == [9, 10, 11])
        let one = try await asker.center.request(Square(number: 3), within: limit)
        #expect([9, 10, 11].contains(one))
        let last = try await asker.center.request(
            Square(number: 3), .first { $0 == 11 }, within: limit)
        #expect(last == 11)
        for token in tokens { token.cancel() }
        for member in members { await member.center.waitUntilReady(within: limit) }
        #expect(try await asker.center.request(Square(), .all, within: limit) == [])
        #expect(await code { try await asker.center.request(Square(), within: limit) } == .noAnswer)
        #expect(asker.problems.entries == [])
    }

    @Test(.rule(44)) func `One who comes later is found without a question`() async throws {
        let server = try Server()
        let (asker, other) = (try Member(server), try Member(server))
        await asker.center.waitUntilReady(within: limit)
        let token = answer(other)
        // The announcement goes by itself.
        await until {
            (try? await asker.center.request(Square(number: 2), .all, within: limit)) == [4]
        }
        #expect(try await asker.center.request(Square(number: 2), .all, within: limit) == [4])
        token.cancel()
        await until {
            (try? await asker.center.request(Square(number: 2), .all, within: limit)) == []
        }
    }

    @Test(.rule(44)) func `A process that leaves is an error, and waited for no more`() async throws
    {
        let server = try Server()
        let asker = try Member(server)
        var leaving: Member? = try Member(server)
        let (started, gate) = (Log<Int>(), Gate(1))
        let token = leaving?.center.answer(Square.self) { request async in
            started.add(request.number)
            await onOwnThread { _ = gate.wait() }
            return request.number
        }
        await leaving?.center.waitUntilReady(within: limit)
        async let code = code { try await asker.center.request(Square(), .all, within: limit) }
        _ = await started.arrival(of: 1)
        leaving = nil
        #expect(await code == .targetEnded)
        gate.open()
        token?.cancel()
    }

    /// Answers, and lets go of the center: the answer and the farewell go out one behind the other.
    private func answerAndLeave(_ member: consuming Member) async throws -> [ObservationToken] {
        let box = Guarded<Member?>(member)
        let tokens = [
            member.center.answer(Square.self, on: .poster) { $0.number },
            member.center.answer(Square.self, on: .poster) { _ in
                _ = box.exchange(nil)
                return -1
            },
        ]
        await member.center.waitUntilReady(within: limit)
        return tokens
    }

    @Test(.rule(44)) func `Answers that a process gives before it leaves are taken`() async throws {
        let server = try Server()
        let asker = try Member(server)
        await asker.center.waitUntilReady(within: limit)
        for round in 0..<20 {
            let tokens = try await answerAndLeave(try Member(server))
            let answer = try await asker.center.request(
                Square(number: round), .first { $0 == round }, within: limit)
            #expect(answer == round)
            for token in tokens { token.cancel() }
        }
    }

    @Test(.rule(44)) func `A process that is killed is waited for no more`() async throws {
        let server = try Server()
        let asker = try Member(server)
        await asker.center.waitUntilReady(within: limit)
        let url = server.url
        async let end: Void = {
            await #expect(processExitsWith: .signal(SIGKILL)) { [url = url as String] in
                let member = try Member(NATSOptions(servers: [url]))
                let token = member.center.answer(Square.self, on: .poster) { square in
                    if square.number > 0 { raise(SIGKILL) }
                    return 0
                }
                await member.center.waitUntilReady(within: .seconds(60))
                while true { try await Task.sleep(for: .seconds(60)) }
                withExtendedLifetime(token) {}
            }
        }()
        // A process may get a request before the asker knows of it, and must outlive that.
        #expect(
            await until {
                (try? await asker.center.request(Square(number: 0), within: limit)) == 0
            })
        let code = await code { try await asker.center.request(Square(number: 1), within: limit) }
        #expect(code == .targetEnded)
        await end
    }

    @Test(.rule(44)) func `An answer that the server does not take is an error`() async throws {
        struct Text: DistributedRequest {
            typealias Reply = String
            var length: Int
        }
        let server = try Server(configuration: "max_payload: 4096")
        let (asker, other) = (try Member(server), try Member(server))
        let token = other.center.answer(Text.self, on: .poster) {
            String(repeating: "a", count: $0.length)
        }
        await other.center.waitUntilReady(within: limit)
        await asker.center.waitUntilReady(within: limit)
        #expect(try await asker.center.request(Text(length: 9), within: limit).count == 9)
        #expect(
            await code { try await asker.center.request(Text(length: 9_000), within: limit) }
                == .answerFailed)
        #expect(other.problems.entries.count == 1)
        token.cancel()
    }
}
#endif
