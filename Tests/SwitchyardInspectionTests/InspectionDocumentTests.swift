// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import SwitchyardCore
import SwitchyardWire
import TestSupport
import Testing

@testable import SwitchyardInspection

/// The examples of `docs/inspection-protocol.md` are what the code writes, byte by byte, and reads.
@Suite("The inspection protocol's page") struct InspectionDocumentTests {
    @Test func `HELLO is written and read as in the document`() throws {
        let hello = InspectionHello(process: 4242, processName: "app")
        let bytes = try HexExamples("inspection-protocol.md").bytes(of: "HELLO")
        #expect(written { hello.write(to: &$0) } == bytes)
        let read = try bytes.withUnsafeBytes {
            try InspectionHello(UnsafeRawBufferPointer(rebasing: $0[5...]))
        }
        #expect(read == hello)
    }

    @Test func `A request for samples is written as in the document`() throws {
        let bytes = try HexExamples("inspection-protocol.md").bytes(
            of: "ASK for 2,000 samples, one each millisecond")
        let ask = written { writer in
            writer.inspectionFrame(.ask) { writer in
                writer.append(UInt32(7))
                writer.append(InspectionQuestion.samples.rawValue)
                writer.append(UInt32(2000))
                writer.append(UInt32(1000))
            }
        }
        #expect(ask == bytes)
    }

    @Test func `A refusal is written as in the document`() throws {
        let bytes = try HexExamples("inspection-protocol.md").bytes(of: "REFUSED")
        let refused = written { writer in
            writer.inspectionFrame(.refused) { writer in
                writer.append(UInt32(7))
                writer.append(short: "unknown")
            }
        }
        #expect(refused == bytes)
    }

    @Test func `Registrations are written and read as in the document`() throws {
        let registration = InspectedCenters.Registration(
            id: 42, sequence: 3, topic: "\"n\"", object: "", context: "m", file: "f", line: 12,
            priority: -1, flags: .queued, delivered: 5, lost: 0, filtered: 7,
            consumed: 2, depth: 1, group: "g", mailbox: 9)
        let centers = InspectedCenters([
            .init(
                number: 1, name: "c", expired: 0, registrations: [registration],
                findings: [.init(kind: "loss", text: "t")])
        ])
        let bytes = try HexExamples("inspection-protocol.md").bytes(
            of: "ANSWER with one center, one registration and one finding")
        let answer = written { writer in
            writer.inspectionFrame(.answer) { writer in
                writer.append(UInt32(1))
                writer.append(InspectionQuestion.registrations.rawValue)
                centers.write(to: &writer)
            }
        }
        #expect(answer == bytes)
        let read = try bytes.withUnsafeBytes { bytes in
            var reader = ByteReader(UnsafeRawBufferPointer(rebasing: bytes[10...]))
            return try InspectedCenters(&reader)
        }
        #expect(read == centers)
    }

    @Test func `Samples are read as they were written`() throws {
        let samples = HandlerSamples(
            looks: 9,
            threads: [
                .init(number: 7, name: "main", looks: [1: 2, 3: 4]),
                .init(number: 8, name: "", looks: [:]),
            ])
        let bytes = written { samples.write(to: &$0) }
        let read = try bytes.withUnsafeBytes { bytes in
            var reader = ByteReader(bytes)
            let samples = try HandlerSamples(&reader)
            try reader.expectEnd()
            return samples
        }
        #expect(read == samples)
        #expect(read.looksByRegistration == [1: 2, 3: 4])
    }

    @Test func `Events are written and read as in the document`() throws {
        let batch = TraceBatch(
            clock: .init(ticks: 1000, nanoseconds: 1_000_000), interval: 1,
            topics: [.init(id: 7, text: "\"n\"")],
            sites: [.init(number: 1, frames: [.init(module: "/a", offset: 0x2010)])],
            threads: [
                .init(
                    ring: 1, number: 99, name: "m", overwritten: 0,
                    events: [
                        TraceEvent(
                            .posted, ticks: 999, post: 1 << 40 | 1, subject: 7, detail: 1, weight: 1
                        )
                    ])
            ])
        let bytes = try HexExamples("inspection-protocol.md").bytes(
            of: "ANSWER with one topic, one call site and one event")
        let answer = written { writer in
            writer.inspectionFrame(.answer) { writer in
                writer.append(UInt32(2))
                writer.append(InspectionQuestion.events.rawValue)
                batch.write(to: &writer)
            }
        }
        #expect(answer == bytes)
        let read = try bytes.withUnsafeBytes { bytes in
            var reader = ByteReader(UnsafeRawBufferPointer(rebasing: bytes[10...]))
            return try TraceBatch(&reader)
        }
        #expect(read == batch)
        for end in 10..<bytes.count {
            bytes[..<end].withUnsafeBytes { cut in
                var reader = ByteReader(UnsafeRawBufferPointer(rebasing: cut[10...]))
                #expect(throws: (any Error).self) { try TraceBatch(&reader) }
            }
        }
    }

    @Test func `Answers that are cut off anywhere are errors`() throws {
        let bytes = try HexExamples("inspection-protocol.md").bytes(
            of: "ANSWER with one center, one registration and one finding")
        for end in 10..<bytes.count {
            bytes[..<end].withUnsafeBytes { cut in
                var reader = ByteReader(UnsafeRawBufferPointer(rebasing: cut[10...]))
                #expect(throws: (any Error).self) { try InspectedCenters(&reader) }
            }
        }
    }
}

func written(_ body: (inout ByteWriter) -> Void) -> [UInt8] {
    var writer = ByteWriter()
    body(&writer)
    return writer.withBytes { Array($0) }
}
