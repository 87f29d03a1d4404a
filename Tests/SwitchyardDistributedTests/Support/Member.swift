// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import DistributedProbe
import Foundation
import SwitchyardDistributed
import TestSupport
import Testing

/// A member of the mesh, in this process or another, that carries out a test's commands, one at a
/// time.
final class Member: Sendable {
    private enum Body: Sendable {
        case here(Probe)
        case process(ProbeProcess)
    }

    let name: String
    private let body: Body

    init(_ name: String, _ center: sending DistributedNotificationCenter) {
        self.name = name
        body = .here(Probe(center))
    }

    init(_ name: String, _ process: ProbeProcess) {
        self.name = name
        body = .process(process)
    }

    /// - Throws: the member's reason, if it could not carry out the command.
    @discardableResult
    func run(_ command: Command) async throws -> Answer {
        let answer = try await onOwnThread { [body] in
            switch body {
            case .here(let probe): probe.run(command)
            case .process(let process): try process.run(command)
            }
        }
        if let failure = answer.failure { throw MemberFailure("\(name): \(failure)") }
        return answer
    }

    var process: ProbeProcess? {
        if case .process(let process) = body { process } else { nil }
    }

    func end() async {
        switch body {
        case .here: _ = try? await run(.leave)
        case .process(let process): process.kill(SIGKILL)
        }
    }
}

struct MemberFailure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

// The commands of tests to members.
extension Member {
    func observe(_ id: String, _ what: Observing) async throws { try await run(.observe(id, what)) }

    /// Waits until all living members know what this one observes.
    func ready(
        within seconds: Double = 60, sourceLocation: Testing.SourceLocation = #_sourceLocation
    ) async throws {
        let late = try await run(.ready(seconds: seconds)).peers
        #expect(late.isEmpty, "\(name)", sourceLocation: sourceLocation)
    }

    @discardableResult
    func post(_ posting: Posts) async throws -> Answer { try await run(.post(posting)) }

    func entries(_ id: String, _ count: Int) async throws -> [Entry] {
        try await run(.entries(id, atLeast: count)).entries
    }

    /// The numbers of the posts that an observer of the member heard, in order.
    func numbers(_ id: String, _ count: Int) async throws -> [Int] {
        try await entries(id, count).map { $0.number ?? -1 }
    }

    var id: String {
        get async throws { try await run(.identity).peers[0].id }
    }
}

/// Calls a body with all members at once.
func all<Result: Sendable>(
    _ members: [Member], _ body: @escaping @Sendable (Member) async throws -> Result
) async throws -> [Result] {
    try await withThrowingTaskGroup(of: (Int, Result).self) { group in
        for (index, member) in members.enumerated() {
            group.addTask { (index, try await body(member)) }
        }
        var results: [Int: Result] = [:]
        for try await (index, result) in group { results[index] = result }
        return members.indices.compactMap { results[$0] }
    }
}
