// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
import Foundation
import NATSProbe
import TestSupport
import Testing

extension ProgramTests {
    /// `switchyard bridge`, between machines: each is a folder of sockets of its own.
    @Suite struct Bridge {
        private let server: Server
        private let machines: [TestFolder]

        init() throws {
            server = try Server()
            machines = try (0..<3).map { _ in try TestFolder() }
        }

        private func bridge(
            in machine: TestFolder, _ arguments: String...
        ) async throws -> ToolProcess {
            let bridge = try ToolProcess(
                ["bridge", "--nats", server.url] + arguments, in: machine)
            try await bridge.ready()
            return bridge
        }

        /// Ends a bridge as Ctrl-C does, and returns its summary.
        private func end(_ bridge: ToolProcess) async -> String? {
            bridge.send(SIGINT)
            #expect(await bridge.end() == 0)
            return await bridge.errors.all().last
        }

        /// The lines that processes posted, of what `observe` printed.
        private func lines(_ output: [String]) throws -> [String] {
            try output.map { line in
                let info = try object(line)["userInfo"] as? [String: Any]
                return info?["line"] as? String ?? ""
            }
        }

        @Test(.rule(40)) func `Machines with bridges hear each other, each notification once`()
            async throws
        {
            var bridges: [ToolProcess] = []
            for machine in machines { bridges.append(try await bridge(in: machine)) }
            let observers = try machines.map { try ToolProcess("observe", "--json", in: $0) }
            for observer in observers { try await observer.ready() }
            let direct = try ToolProcess(
                "observe", "--json", "--nats", server.url, in: machines[0])
            try await direct.ready()
            for (number, machine) in machines.enumerated() {
                let text = (0..<1_000).map { "\(number)-\($0)\n" }.joined()
                let post = try await run("post", "L", "--lines", in: machine, input: text)
                #expect(post.status == 0)
            }
            // A notification that came back in a circle would be there before these.
            for (number, machine) in machines.enumerated() {
                try await run("post", "L", "--info", "line=end \(number)", in: machine)
            }
            for observer in observers + [direct] {
                var ends = 0
                while ends < 3, let line = await observer.output.next(where: { _ in true }) {
                    if line.contains(#""end "#) { ends += 1 }
                }
                let heard = try lines(observer.output.lines)
                #expect(heard.count == 3_003)
                for number in 0..<3 {
                    let expected = (0..<1_000).map { "\(number)-\($0)" } + ["end \(number)"]
                    let own = heard.filter { $0.hasPrefix("\(number)-") || $0 == expected.last }
                    #expect(own == expected)
                }
            }
            for bridge in bridges {
                let said = await end(bridge)
                #expect(said == "to the cluster: 1001, lost: 0; from it: 2002, lost: 0")
            }
        }

        @Test func `A bridge with --only carries notifications of these names`() async throws {
            let first = try await bridge(in: machines[0], "--only", "A", "B")
            let second = try await bridge(in: machines[1])
            let observer = try ToolProcess("observe", "--json", "--count", "2", in: machines[1])
            try await observer.ready()
            for name in ["C", "A", "C", "B"] { try await run("post", name, in: machines[0]) }
            let names = try await observer.output.all().map { try object($0)["name"] as? String }
            #expect(names == ["A", "B"])
            #expect(await end(first) == "to the cluster: 2, lost: 0; from it: 0, lost: 0")
            #expect(await end(second) == "to the cluster: 0, lost: 0; from it: 2, lost: 0")
        }

        @Test func `A second bridge of a machine and domain ends at once`() async throws {
            let first = try await bridge(in: machines[0])
            let second = try await run("bridge", "--nats", server.url, in: machines[0])
            #expect(second.status == 1)
            #expect(second.errors.last?.contains("is a bridge of the domain") == true)
            let other = try await bridge(in: machines[0], "--domain", "other")
            for bridge in [first, other] { #expect(await end(bridge) != nil) }
        }

        @Test func `Of two bridges, the one that has the domain's lock stays`() async throws {
            // Makes the domain's folder.
            try await run("post", "A", in: machines[0])
            let folder = open("\(machines[0].path)/switchyard/default", O_RDONLY | O_CLOEXEC)
            #expect(flock(folder, LOCK_EX | LOCK_NB) == 0)
            let second = try await run("bridge", "--nats", server.url, in: machines[0])
            #expect(second.status == 1)
            #expect(
                second.errors == [
                    "switchyard bridge: another process is a bridge of the domain \"default\" already"
                ])
            close(folder)
            #expect(await end(try await bridge(in: machines[0])) != nil)
        }

        @Test func `A bridge is found by another although the domain's folder was removed`()
            async throws
        {
            let first = try await bridge(in: machines[0])
            try FileManager.default.removeItem(atPath: "\(machines[0].path)/switchyard")
            // The first has joined again when somebody finds it.
            while try await run("peers", in: machines[0]).output.isEmpty {}
            let second = try await run("bridge", "--nats", server.url, in: machines[0])
            #expect(second.status == 1)
            #expect(second.errors.last?.contains("(\(first.processIdentifier))") == true)
            #expect(await end(first) != nil)
        }

        @Test(.rule(40)) func `A bridge counts its losses while its server is killed`()
            async throws
        {
            let bridges = [try await bridge(in: machines[0]), try await bridge(in: machines[1])]
            let observer = try ToolProcess("observe", "L", "--json", in: machines[1])
            try await observer.ready()
            let poster = try ToolProcess("post", "L", "--lines", in: machines[0])
            func post(_ lines: Range<Int>) async {
                await poster.writeAll(lines.map { "\($0)\n" }.joined())
            }
            await post(0..<10_000)
            _ = try #require(await observer.output.next { $0.contains(#""line":"1000""#) })
            server.end()
            await post(10_000..<20_000)
            try server.start()
            for bridge in bridges {
                _ = try #require(await bridge.errors.next { $0.contains("again") })
            }
            // The bridge's answer comes behind its subscriptions.
            let second = "\(bridges[1].processIdentifier)"
            let ping = try await run(
                "ping", second, "--nats", server.url, "--within", "30s", in: machines[1])
            #expect(ping.status == 0)
            let last = 20_000
            await post(last..<last + 1)
            _ = try #require(await observer.output.next { $0.contains(#""line":"\#(last)""#) })
            let heard = try lines(observer.output.lines).compactMap { Int($0) }
            #expect(heard == heard.sorted() && Set(heard).count == heard.count)
            let said = [await end(bridges[0]), await end(bridges[1])].map { numbers($0) }
            // The four numbers: passed and lost to the cluster, passed and lost from it.
            #expect(said[0][0] + said[0][1] == last + 1)
            #expect(said[1][2] == heard.count)
            #expect(said[1][2] + said[1][3] == said[0][0])
        }

        private func numbers(_ summary: String?) -> [Int] {
            let numbers = summary?.split { !$0.isNumber }.compactMap { Int($0) } ?? []
            return numbers.count == 4 ? numbers : [-1, -1, -1, -1]
        }
    }
}
#endif
