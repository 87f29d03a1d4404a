// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import Switchyard
import SwitchyardCore
import TestSupport
import Testing

@testable import SwitchyardDistributed
@testable import SwitchyardWire

@Suite("Questions for a peer that says nothing", .timeLimit(.minutes(10)))
struct QuestionBacklogTests {
    private let id = PeerID.random().description

    /// A center that asks for latest values, and whose question is kept for a peer.
    private func asker() async throws -> (DistributedNotificationCenter, ObservationToken) {
        let center = try ScriptedNetwork(peers: [id]).center()
        let token = center.observe(Notification.Name("State"), options: .replayingLatest) { _ in }
        let mesh = try #require(center.engineTransport as? Mesh)
        #expect(await until { mesh.state.withLock { $0.keepsBytes(for: id) } })
        return (center, token)
    }

    @Test(.rule(36, 43))
    func `A center's own question keeps nobody waiting, and is no loss`() async throws {
        let (center, token) = try await asker()
        #expect(await center.waitUntilFlushed(within: .milliseconds(1)).isEmpty)
        #expect(center.leave().isEmpty)
        withExtendedLifetime(token) {}
    }

    @Test(.rule(36, 43)) func `A post beside the question is waited for`() async throws {
        let (center, token) = try await asker()
        center.post(name: Notification.Name("Other"), object: nil)
        #expect(await center.waitUntilFlushed(within: .milliseconds(1)).map(\.id) == [id])
        #expect(center.leave().map(\.peer.id) == [id])
        withExtendedLifetime(token) {}
    }

    @Test(.rule(43)) func `The end of a latest value is no question, and has to be learned`() throws
    {
        func isQuestion(_ info: [AnyHashable: Any]) throws -> Bool {
            let payload = try DistributedPayload(userInfo: info)
            var frame = ByteWriter()
            let name = Array(CenterNames.questions.utf8)
            name.withUnsafeBytes { name in
                payload.bytes.withUnsafeBytes {
                    frame.appendNotification(
                        flags: 0, payload.kind, topic: name, nameLength: name.count, payload: $0)
                }
            }
            return LatestFrame.isQuestion(frame)
        }
        #expect(try isQuestion(["asker": "me", "name": "State"]))
        #expect(try isQuestion(LatestFrame.again))
        #expect(try !isQuestion(["name": "State", "ended": 7]))
    }
}

extension MeshState {
    /// Whether bytes are kept for a peer that has not said what it wants.
    fileprivate borrowing func keepsBytes(for address: String) -> Bool {
        backlogs[address].map { $0.frames.count > 0 } ?? false
    }
}
