// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import DistributedProbe
import Foundation
import TestSupport
import Testing

@testable import SwitchyardDistributed

/// The folder in which processes find each other: other users can't reach it, and an error says why
/// a folder can't be used.
@Suite("The runtime folder", .serialized, .timeLimit(.minutes(5)))
struct RuntimeFolderTests {
    private static let isRoot = geteuid() == 0
    private static let nobody: UInt32 = 65_534

    private let files = FileManager.default

    /// The error of a process that can't join; nil if it can.
    private func failure(
        _ world: World, _ environment: [String: String]
    ) async throws -> String? {
        do {
            _ = try await world.process([world.domain], environment: environment)
            return nil
        } catch let failure as MemberFailure {
            return failure.description
        }
    }

    private func makeFolder(_ path: String, mode: Int = 0o700) throws {
        try files.createDirectory(
            atPath: path, withIntermediateDirectories: true,
            attributes: [.posixPermissions: mode])
        // The mode is set again, because the mask may have taken rights away.
        try files.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    @Test(.rule(35)) func `A folder open to others, a link, or a file is refused with advice`()
        async throws
    {
        try await inWorld(.processes) { world in
            let place = world.folder + "/x"
            let cases: [(String, () throws -> Void)] = [
                ("chmod 700", { try makeFolder(place + "/switchyard", mode: 0o750) }),
                ("chmod 700", { try makeFolder(place + "/switchyard", mode: 0o701) }),
                (
                    "symbolic link",
                    {
                        try makeFolder(place)
                        try makeFolder(world.folder + "/elsewhere")
                        try files.createSymbolicLink(
                            atPath: place + "/switchyard",
                            withDestinationPath: world.folder + "/elsewhere")
                    }
                ),
                (
                    "no folder",
                    {
                        try makeFolder(place)
                        _ = files.createFile(atPath: place + "/switchyard", contents: nil)
                    }
                ),
                (
                    "chmod 700",
                    {
                        try makeFolder(place + "/switchyard")
                        try makeFolder(place + "/switchyard/\(world.domain)", mode: 0o777)
                    }
                ),
                (
                    "symbolic link",
                    {
                        try makeFolder(place + "/switchyard")
                        try files.createSymbolicLink(
                            atPath: place + "/switchyard/\(world.domain)",
                            withDestinationPath: "/tmp")
                    }
                ),
                ("No such file", {}),
            ]
            for (word, prepare) in cases {
                try? files.removeItem(atPath: place)
                try prepare()
                let failure = try await failure(world, ["SWITCHYARD_RUNTIME_DIR": place])
                #expect(failure?.contains(word) == true, "\(failure ?? "-")")
                #expect(failure?.contains("SWITCHYARD_RUNTIME_DIR") == true)
                #expect(failure?.contains(place) == true)
            }
        }
    }

    @Test(.rule(35), .enabled(if: isRoot))
    func `A folder of another user is refused`() async throws {
        try await inWorld(.processes) { world in
            let place = world.folder + "/x"
            try makeFolder(place + "/switchyard")
            #expect(chown(place + "/switchyard", Self.nobody, Self.nobody) == 0)
            let failure = try await failure(world, ["SWITCHYARD_RUNTIME_DIR": place])
            #expect(failure?.contains("belongs to user 65534") == true, "\(failure ?? "-")")
        }
    }

    @Test(.rule(35)) func `A folder that can't be written is a clear error`() async throws {
        try await inWorld(.processes) { world in
            // Not even root makes folders in /proc.
            let failure = try await failure(world, ["SWITCHYARD_RUNTIME_DIR": "/proc"])
            #expect(failure?.contains("/proc/switchyard") == true, "\(failure ?? "-")")
        }
    }

    @Test(.rule(35)) func `A path that is too long for a socket works`() async throws {
        try await inWorld(.processes) { world in
            let place = world.folder + "/" + String(repeating: "long/", count: 40)
            try makeFolder(place)
            var members: [Member] = []
            for name in ["a", "b"] {
                let process = try await world.process(
                    [world.domain], environment: ["SWITCHYARD_RUNTIME_DIR": place])
                members.append(Member(name, process))
            }
            try await members[1].observe("it", Observing("A"))
            try await members[1].ready()
            try await members[0].post(Posts("A"))
            #expect(try await members[1].numbers("it", 1) == [1])
            for member in members { await member.end() }
        }
    }

    @Test(.rule(35)) func `Processes without a session folder meet all the same`() async throws {
        try await inWorld(.processes) { world in
            // An empty path names no folder. The others name a folder that does not exist, and
            // another user's folder.
            let environments = ["", "/nowhere/at/all", Self.isRoot ? "/" : "/proc"].map {
                ["SWITCHYARD_RUNTIME_DIR": "", "XDG_RUNTIME_DIR": $0]
            }
            var members: [Member] = []
            for (index, var environment) in environments.enumerated() {
                if index == 2 { environment["XDG_RUNTIME_DIR"] = "/etc/passwd" }
                members.append(
                    Member(
                        "\(index)",
                        try await world.process([world.domain], environment: environment)))
            }
            for member in members {
                try await member.observe("it", Observing("A"))
                try await member.ready()
            }
            for member in members { try await member.post(Posts("A")) }
            for member in members {
                #expect(try await member.numbers("it", 3).count == 3)
                try await member.run(.leave)
                await member.end()
            }
            for place in ["/run/user/\(geteuid())/switchyard", "/tmp/switchyard-\(geteuid())"] {
                try? files.removeItem(atPath: "\(place)/\(world.domain)")
            }
        }
    }

    @Test(.rule(35)) func `The session folder is used where there is one`() async throws {
        try await inWorld(.processes) { world in
            try makeFolder(world.folder + "/session")
            let environment = [
                "SWITCHYARD_RUNTIME_DIR": "", "XDG_RUNTIME_DIR": world.folder + "/session",
            ]
            let member = Member(
                "a", try await world.process([world.domain], environment: environment))
            let id = try await member.id
            let path = "\(world.folder)/session/switchyard/\(world.domain)"
            #expect(try files.contentsOfDirectory(atPath: path) == [id])
            let mode = try files.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber
            #expect(mode?.intValue == 0o700)
            await member.end()
        }
    }

    @Test(.rule(35))
    func `A relative folder stays the same when the process changes its directory`()
        async throws
    {
        try await inWorld(.processes) { world in
            try makeFolder(world.folder + "/here")
            let environment = ["SWITCHYARD_RUNTIME_DIR": "here"]
            var members: [Member] = []
            for name in ["a", "b"] {
                let process = try await world.process(
                    [world.domain, "--folder", world.folder], environment: environment)
                members.append(Member(name, process))
            }
            try await members[0].run(.changeFolder("/"))
            let process = try await world.process(
                [world.domain, "--folder", world.folder], environment: environment)
            let late = Member("late", process)
            try await late.observe("it", Observing("A"))
            try await late.ready()
            for member in members {
                #expect(try await member.run(.peersKnown(atLeast: 2)).peers.count == 2)
                try await member.post(Posts("A"))
            }
            #expect(try await late.numbers("it", 2) == [1, 1])
            let sockets = try files.contentsOfDirectory(
                atPath: "\(world.folder)/here/switchyard/\(world.domain)")
            #expect(sockets.count == 3)
            for member in members + [late] { await member.end() }
        }
    }

    // MARK: - Processes of other users

    @Test(.rule(35), .enabled(if: isRoot))
    func `Another user's process is refused, whichever side connects`() async throws {
        try await inWorld(.processes) { world in
            let member = try await world.member("member")
            let id = try await member.id
            let folder = "\(world.folder)/switchyard/\(world.domain)"
            let path = [world.folder, world.folder + "/switchyard", folder]
            // The stranger reaches the socket only because the rights are changed.
            let word = try await Self.stranger("connect", folder + "/" + id)
            #expect(word == "Permission denied")
            for place in path { #expect(chmod(place, 0o711) == 0) }
            #expect(chmod(folder + "/" + id, 0o777) == 0)
            #expect(try await Self.stranger("connect", folder + "/" + id) == "refused")
            let problems = try await member.run(.problems(containing: "belongs to user 65534"))
            #expect(problems.texts.contains { $0.contains("only processes of one user") })

            // The other way round, the stranger's socket stands where members look.
            #expect(chmod(folder, 0o777) == 0)
            let place = folder + "/" + String(repeating: "5", count: 32)
            let heard = try await Self.stranger("listen", place) {
                for place in path { #expect(chmod(place, 0o700) == 0) }
                let newcomer = try await world.member("newcomer")
                try await newcomer.observe("it", Observing("A"))
                try await newcomer.ready()
                try await member.post(Posts("A"))
                #expect(try await newcomer.numbers("it", 1) == [1])
            }
            #expect(heard == "refused")
        }
    }

    /// Runs a process of another user, and returns its last line.
    private static func stranger(
        _ what: String, _ path: String, meanwhile: () async throws -> Void = {}
    ) async throws -> String {
        let process = Process()
        process.executableURL = ProbeProcess.folder.appendingPathComponent("peer-probe")
        process.arguments = ["stranger", what, path, "\(nobody)"]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let output = pipe.fileHandleForReading
        var text = ""
        if what == "listen" {
            text = await onOwnThread { String(decoding: output.availableData, as: UTF8.self) }
            #expect(text == "listening\n")
        }
        try await meanwhile()
        let rest = await onOwnThread {
            String(decoding: output.readDataToEndOfFile(), as: UTF8.self)
        }
        return rest.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
