// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import DistributedProbe
import Foundation
import SwitchyardCore
import SwitchyardDistributedTesting
import Testing

@testable import SwitchyardDistributed
@testable import SwitchyardWire

/// The parts of the mesh that are real.
enum Depth: String, CaseIterable, CustomTestStringConvertible {
    /// Sockets in memory, in this process.
    case memory
    /// Sockets in the file system, in this process.
    case sockets
    /// A process for each member.
    case processes

    var testDescription: String { rawValue }
}

/// A world of its own for the members of one test: they hear each other, and no other process.
final class World: Sendable {
    let depth: Depth
    let network = InMemoryNetwork()
    /// The domain of this test alone.
    let domain = "test-\(UInt64.random(in: .min ... .max))"
    /// The runtime folder of processes.
    let folder: String
    private let members = Guarded<[Member]>([])
    private let domains = Guarded<Set<String>>([])

    init(_ depth: Depth) throws {
        self.depth = depth
        folder = "/tmp/sw-\(domain)"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
    }

    /// A new member, which hears the members of the same depth.
    func member(
        _ name: String = "member", limits: DistributedLimits = DistributedLimits(),
        domain: String? = nil, arguments: [String] = []
    ) async throws -> Member {
        let domain = domain ?? self.domain
        domains.withLock { _ = $0.insert(domain) }
        let member =
            switch depth {
            case .memory: Member(name, try network.center(named: name, limits: limits))
            case .sockets:
                Member(name, try DistributedNotificationCenter(domain: domain, limits: limits))
            case .processes:
                Member(name, try await process([domain] + arguments, limits: limits))
            }
        members.withLock { $0.append(member) }
        return member
    }

    func process(
        _ arguments: [String], limits: DistributedLimits = DistributedLimits(),
        environment: [String: String] = [:]
    ) async throws -> ProbeProcess {
        let limits = ["--queue", "\(limits.queueBytes)", "--overflow", "\(limits.overflow)"]
        return try await ProbeProcess.start(
            arguments + limits,
            environment: ["SWITCHYARD_RUNTIME_DIR": folder].merging(environment) { $1 })
    }

    /// Several members, started at once.
    func members(
        _ count: Int, limits: DistributedLimits = DistributedLimits()
    ) async throws -> [Member] {
        try await withThrowingTaskGroup(of: Member.self) { group in
            for number in 0..<count {
                group.addTask { try await self.member("member \(number)", limits: limits) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    /// Ends all members, and removes the files that are left.
    func end() async {
        for member in members.withLock({ $0 }) { await member.end() }
        try? FileManager.default.removeItem(atPath: folder)
        if depth != .sockets { return }
        for domain in domains.withLock({ $0 }) {
            guard let path = try? RuntimeFolder(domain: domain).path else { continue }
            try? FileManager.default.removeItem(atPath: path)
        }
    }
}

/// Gives `body` a world, which ends with it.
func inWorld<Result>(
    _ depth: Depth, isolation: isolated (any Actor)? = #isolation,
    _ body: (World) async throws -> Result
) async throws -> Result {
    let world = try World(depth)
    do {
        let result = try await body(world)
        await world.end()
        return result
    } catch {
        await world.end()
        throw error
    }
}
