// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
@_spi(Engine) import SwitchyardCore
import TestSupport
import Testing

@testable import SwitchyardInspection

private struct Ping: NotificationMessage {}

@Suite("Inspection of forked children", .timeLimit(.minutes(4))) struct ForkedChildTests {
    // The test runs in a process of its own, whose environment names a folder for it alone.
    @Test func `A forked child of a watched process is watched by nobody`() async {
        await #expect(processExitsWith: .success) {
            let folder = NSTemporaryDirectory() + "switchyard-" + UUID().uuidString.prefix(8)
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            defer { try? FileManager.default.removeItem(atPath: folder) }
            setenv("SWITCHYARD_RUNTIME_DIR", folder, 1)
            setenv("SWITCHYARD_INSPECT", "1", 1)
            let center = MessageCenter()
            let token = center.observe(Ping.self) { _ in }
            func delivered() -> UInt64? { center.snapshot().entries.first?.delivered }
            #expect(Inspection.listen())
            let tools = try InspectableProcess.all()
            try #require(tools.first).count()
            #expect(Inspection.isWatched)
            center.post(Ping())
            #expect(delivered() == 1)
            let child = try Self.fork()
            if child == 0 {
                center.post(Ping())
                let isLeftAlone = !Inspection.isWatched && delivered() == 1
                let young = MessageCenter()
                let token = young.observe(Ping.self) { _ in }
                young.post(Ping())
                let isYoungLeftAlone = young.snapshot().entries.first?.delivered == 0
                let listens = Inspection.listen()
                Inspection.stopListening()
                token.cancel()
                _exit(isLeftAlone && isYoungLeftAlone && !listens ? 0 : 1)
            }
            var status: Int32 = -1
            #expect(waitpid(child, &status, 0) == child)
            #expect(status == 0)
            // The parent is watched as before, and can be found.
            center.post(Ping())
            #expect(delivered() == 2)
            #expect(try InspectableProcess.all().count == 1)
            withExtendedLifetime((tools, token)) {}
        }
    }

    @Test func `A child of a process that has stopped listening does not listen`() async {
        await #expect(processExitsWith: .success) {
            let folder = NSTemporaryDirectory() + "switchyard-stopped-\(getpid())"
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(atPath: folder) }
            setenv("SWITCHYARD_RUNTIME_DIR", folder, 1)
            setenv("SWITCHYARD_INSPECT", "1", 1)
            #expect(Inspection.listen())
            Inspection.stopListening()
            let child = try Self.fork()
            if child == 0 { _exit(Inspection.listen() ? 1 : 0) }
            var status: Int32 = -1
            #expect(waitpid(child, &status, 0) == child)
            #expect(status == 0)
            // The parent can listen again.
            #expect(Inspection.listen())
            #expect(try InspectableProcess.all().count == 1)
        }
    }

    @Test func `A tool that finds no place at a program is told so`() async {
        await #expect(processExitsWith: .success) {
            let folder = NSTemporaryDirectory() + "switchyard-tools-\(getpid())"
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(atPath: folder) }
            setenv("SWITCHYARD_RUNTIME_DIR", folder, 1)
            setenv("SWITCHYARD_INSPECT", "1", 1)
            #expect(Inspection.listen())
            let tools = try (0..<16).map { _ in
                try InspectableProcess.all(within: .seconds(60))
            }
            #expect(tools.allSatisfy { $0.count == 1 })
            let (answering, others) = try InspectableProcess.found(within: .seconds(60))
            #expect(answering.isEmpty)
            #expect(others.map(\.number) == [getpid()])
            #expect(others.first?.reason.contains("as many tools as it takes") == true)
            withExtendedLifetime(tools) {}
        }
    }

    @Test func `A forked child of a traced process traces nothing`() async {
        await #expect(processExitsWith: .success) {
            let center = MessageCenter()
            let token = center.observe(Ping.self) { _ in }
            CenterDirectory.beginTracing()
            TraceSampling.interval = 1
            func events() -> UInt64 { TraceRing.all.reduce(0) { $0 + $1.end } }
            center.post(Ping())
            let before = events()
            #expect(before > 0)
            let child = try Self.fork()
            if child == 0 {
                for _ in 0..<3 { center.post(Ping()) }
                _exit(events() == before ? 0 : 1)
            }
            var status: Int32 = -1
            #expect(waitpid(child, &status, 0) == child)
            #expect(status == 0)
            center.post(Ping())
            #expect(events() == before + 2)
            token.cancel()
        }
    }

    private static func fork() throws -> Int32 {
        let symbol = try #require(dlsym(nil, "fork"))
        // Unsafe: Swift does not offer the function, whose type this is.
        return unsafeBitCast(symbol, to: (@convention(c) () -> Int32).self)()
    }
}
