// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import CSwitchyard
import Foundation
import SwitchyardWire
import TestSupport
import Testing

@testable import SwitchyardInspection

@Suite("Connections between tools and programs", .timeLimit(.minutes(4)))
struct FrameConnectionTests {
    /// The two ends of a connection, as descriptors.
    private func pair() -> [Int32] {
        var ends: [Int32] = [0, 0]
        #expect(switchyard_socket_pair(&ends) == 0)
        return ends
    }

    @Test func `Sending to an end that has gone, and receiving from it, are errors`() {
        let ends = pair()
        let connection = FrameConnection(ends[0], longestFrame: 4096)
        close(ends[1])
        #expect(throws: InspectionError.self) {
            try connection.send { $0.inspectionFrame(.ask) { $0.append(UInt32(1)) } }
        }
        #expect(throws: InspectionError.self) { try connection.receive { _ in } }
        #expect(connection.pause(microseconds: 1))
    }

    @Test
    func `A frame that comes in pieces is received whole, and one that is too long is an error`()
        throws
    {
        let ends = pair()
        let connection = FrameConnection(ends[0], longestFrame: 8)
        var frames: [[UInt8]] = []
        for byte: UInt8 in [2, 0, 0, 0, 7, 9] {
            withUnsafeBytes(of: byte) { _ = write(ends[1], $0.baseAddress, 1) }
            try connection.receive { frames.append(Array($0)) }
        }
        #expect(frames == [[7, 9]])
        let long: [UInt8] = [9, 0, 0, 0, 1]
        _ = long.withUnsafeBytes { write(ends[1], $0.baseAddress, $0.count) }
        #expect(throws: (any Error).self) { try connection.receive { _ in } }
        close(ends[1])
    }

    @Test func `An answer that does not come in time is an error`() {
        let ends = pair()
        let connection = FrameConnection(ends[0], longestFrame: 8)
        #expect(throws: InspectionError.self) { try connection.receive(within: 1) { _ in } }
        close(ends[1])
    }

    @Test func `Frames that answer nothing do not prolong the wait for an answer`() async throws {
        signal(SIGPIPE, SIG_IGN)
        let ends = pair()
        let process = try InspectableProcess(ends[0], patience: 50)
        let isOver = Log<Void>()
        async let flood: Void = onOwnThread {
            // An answer to a question that was not asked.
            let answer: [UInt8] = [6, 0, 0, 0, InspectionFrameType.answer.rawValue, 9, 9, 9, 9, 1]
            while isOver.entries.isEmpty {
                let sent = answer.withUnsafeBytes { write(ends[1], $0.baseAddress, $0.count) }
                if sent < 0 { sched_yield() }
            }
        }
        #expect(throws: InspectionError.self) { _ = try process.centers() }
        isOver.add(())
        await flood
        withExtendedLifetime(process) {}
        close(ends[1])
    }

    @Test func `The largest numbers of looks are added up without a trap`() {
        let thread = HandlerSamples.Thread(number: 1, name: "a", looks: [7: .max])
        let other = HandlerSamples.Thread(number: 2, name: "b", looks: [7: .max])
        var sum = HandlerSamples(looks: .max, threads: [thread])
        sum += HandlerSamples(looks: .max, threads: [thread, other])
        #expect(sum.threads.map(\.number) == [1, 2])
        #expect(sum.looksByRegistration.count == 1)
    }
}
