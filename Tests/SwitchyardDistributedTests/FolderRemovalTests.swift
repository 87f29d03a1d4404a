// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import DistributedProbe
import Foundation
import TestSupport
import Testing

@testable import SwitchyardDistributed

/// The removal of the runtime folder under its processes, as when the user's last session ends, or
/// a cleaner removes temporary files.
@Suite("A runtime folder that is removed", .serialized, .timeLimit(.minutes(5)))
struct FolderRemovalTests {
    private let files = FileManager.default

    private func sockets(_ world: World) -> [String] {
        let folder = "\(world.folder)/switchyard/\(world.domain)"
        return ((try? files.contentsOfDirectory(atPath: folder)) ?? []).filter {
            !$0.hasPrefix(".")
        }
    }

    /// Removes the folder, even if other processes make files in it meanwhile.
    private func remove(_ path: String) async {
        let isGone = await until {
            try? files.removeItem(atPath: path)
            return !files.fileExists(atPath: path)
        }
        #expect(isGone)
    }

    enum Removal: String, CaseIterable {
        case socket, domain, base, movedAway
    }

    @Test(.rule(35), arguments: Removal.allCases)
    func `Processes join again under their address, and newcomers find them`(
        removal: Removal
    ) async throws {
        try await inWorld(.processes) { world in
            let old = try await world.members(2)
            for member in old {
                try await member.observe("it", Observing("A"))
                try await member.ready()
            }
            let ids = try await all(old) { try await $0.id }.sorted()
            let base = "\(world.folder)/switchyard"
            switch removal {
            case .socket: unlink("\(base)/\(world.domain)/\(ids[0])")
            case .domain: await remove("\(base)/\(world.domain)")
            case .base: await remove(base)
            case .movedAway: try files.moveItem(atPath: base, toPath: base + "-elsewhere")
            }
            #expect(await until { sockets(world).sorted() == ids })
            let newcomer = try await world.member("newcomer")
            try await newcomer.observe("it", Observing("A"))
            try await newcomer.ready()
            for member in old + [newcomer] { try await member.post(Posts("A")) }
            for member in old + [newcomer] {
                #expect(try await member.entries("it", 3).count == 3)
            }
            let absent = try await old[0].id == ids[0] || removal != .socket ? old[0] : old[1]
            let word = "could not find this one"
            let problems = try await absent.run(.problems(containing: word)).texts
            #expect(problems.contains { $0.hasPrefix("unreachable: ") && $0.contains(word) })
        }
    }

    @Test(.rule(35)) func `A process that joined while another could not be found is found later`()
        async throws
    {
        try await inWorld(.processes) { world in
            let old = try await world.member("old")
            try await old.observe("it", Observing("A"))
            let id = try await old.id
            // The stopped process can't join again for now.
            old.process?.kill(SIGSTOP)
            await remove("\(world.folder)/switchyard")
            let newcomer = try await world.member("newcomer")
            try await newcomer.post(Posts("A"))
            old.process?.kill(SIGCONT)
            #expect(await until { sockets(world).contains(id) })
            #expect(try await newcomer.run(.peersKnown(atLeast: 1)).peers.map(\.id) == [id])
            try await newcomer.post(Posts("A", first: 2))
            #expect(try await old.numbers("it", 1) == [2])
            let told = try await newcomer.run(.problems(containing: "could not be found for")).texts
            #expect(told.contains { $0.contains("has not heard") })
            let problems = try await old.run(.problems(containing: "could not find this one")).texts
            #expect(problems.contains { $0.contains("were not heard") })
        }
    }

    @Test(.rule(35))
    func `A process that can't join again says so, goes on trying, and talks to its known peers`()
        async throws
    {
        try await inWorld(.processes) { world in
            let members = try await world.members(2)
            for member in members {
                try await member.observe("it", Observing("A"))
                try await member.ready()
            }
            let base = "\(world.folder)/switchyard"
            // A file takes the folder's place.
            #expect(files.createFile(atPath: base + "-file", contents: nil))
            try files.moveItem(atPath: base, toPath: base + "-elsewhere")
            try files.moveItem(atPath: base + "-file", toPath: base)
            for member in members {
                let word = "cannot join again"
                let problems = try await member.run(.problems(containing: word)).texts
                #expect(problems.contains { $0.contains(base) && $0.contains("no folder") })
                try await member.post(Posts("A"))
            }
            for member in members { #expect(try await member.numbers("it", 2) == [1, 1]) }
            #expect(unlink(base) == 0)
            #expect(await until { sockets(world).count == 2 })
        }
    }

    @Test(.rule(35), .enabled(if: geteuid() == 0))
    func `A session folder that can't be written is an error, not another folder`()
        async throws
    {
        try await inWorld(.processes) { world in
            // /proc belongs to root, and not even root makes folders there.
            let environment = ["SWITCHYARD_RUNTIME_DIR": "", "XDG_RUNTIME_DIR": "/proc"]
            do {
                _ = try await world.process([world.domain], environment: environment)
                Issue.record("it joined elsewhere")
            } catch let failure as MemberFailure {
                #expect(failure.description.contains("/proc/switchyard"))
            }
        }
    }
}
