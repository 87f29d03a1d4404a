// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import TestSupport
import Testing

@testable import SwitchyardWire

@Suite("Contexts of notifications, on the wire") struct ContextFrameTests {
    private static let context = ContextFrame(
        sequence: 7, fields: ["traceparent": "00-1-2-01", "tracestate": "Größe ✓"])

    private static func body(_ context: ContextFrame) -> [UInt8] {
        Array(Raw.bytes { _ = context.write(to: &$0) }.dropFirst(WireFormat.lengthBytes + 1))
    }

    @Test func `It comes back as it was`() {
        for fields in [[:], ["": ""], Self.context.fields] {
            let context = ContextFrame(sequence: .max, fields: fields)
            #expect(Self.body(context).withUnsafeBytes { ContextFrame($0) } == context)
        }
    }

    @Test(.rule(39)) func `What is cut short is none`() {
        let body = Self.body(Self.context)
        for count in 0..<body.count {
            #expect(Array(body[..<count]).withUnsafeBytes { ContextFrame($0) } == nil)
        }
        #expect((body + [0]).withUnsafeBytes { ContextFrame($0) } == Self.context)
    }

    @Test(.rule(39)) func `What is too long is neither written nor read`() {
        let long = ContextFrame(
            sequence: 1, fields: ["key": String(repeating: "x", count: ContextFrame.longest)])
        #expect(Self.body(long) == [])
        let body = Self.body(Self.context) + [UInt8](repeating: 0, count: ContextFrame.longest)
        #expect(body.withUnsafeBytes { ContextFrame($0) } == nil)
    }
}
