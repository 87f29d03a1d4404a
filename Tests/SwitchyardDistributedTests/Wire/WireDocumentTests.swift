// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import TestSupport
import Testing

@testable import SwitchyardDistributed
@testable import SwitchyardWire

/// The code writes the examples of `docs/wire-protocol.md`, byte by byte, and reads them.
@Suite("The wire protocol's document") struct WireDocumentTests {
    private static let id: [UInt8] = (0..<16).map { $0 * 0x11 }

    private static var greeting: Greeting {
        let id = id.withUnsafeBytes { PeerID($0) }
        return Greeting(
            id: id, process: 4242, processName: "editor", address: id.description,
            domain: "default")
    }

    private static let added = DistributedInterest(name: "ConverterAdded", object: nil)
    private static let text = DistributedInterest(name: nil, object: "text")

    /// The bytes that the code writes for an example. Dictionaries have one entry, because the
    /// order of more is not known.
    private static func frame(_ example: String) throws -> [UInt8]? {
        var writer = ByteWriter()
        switch example {
        case "hello": greeting.write(to: &writer)
        case "bye": writer.bye("it knows why")
        case "subscribe": added.write(to: &writer, isObserved: true)
        case "unsubscribe": text.write(to: &writer, isObserved: false)
        case "sync": writer.frame(.sync, 3)
        case "synced": writer.frame(.synced, 3)
        case "lost": writer.frame(.lost, 42)
        case "heard": writer.frame(.heard, 5)
        case "heard on": HeardCount(count: 5, connection: 7).write(to: &writer)
        case "heard but": HeardCount(count: 5, connection: 7, missing: 2).write(to: &writer)
        case "connection": writer.frame(.connection, 7)
        case "farewell": writer.frame(.farewell, 43)
        case "away": writer.frame(.away, 250)
        case "context":
            let trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
            let context = ContextFrame(sequence: 1, fields: ["traceparent": trace])
            _ = context.write(to: &writer)
        case "promise": Farewell.writePromise(to: &writer)
        case "choice": Farewell.writeChoice(to: &writer)
        case "ping": writer.frame(.ping, 7)
        case "pong": writer.frame(.pong, 7)
        case "status": writer.frame(.status, 8)
        case "notification":
            let topic = Array("ConverterAddedtext".utf8)
            let payload = try DistributedPayload(userInfo: ["format": "RTF"])
            topic.withUnsafeBytes { topic in
                payload.bytes.withUnsafeBytes { bytes in
                    writer.appendNotification(
                        flags: NotificationFrame.hasObject, payload.kind, topic: topic,
                        nameLength: 14, payload: bytes)
                }
            }
            writer.patch(sequence: 1, at: WireFormat.sequenceOffset)
        case "kept":
            withUnsafeBytes(of: UInt64(1_000_000_000).littleEndian) { time in
                Array("ConverterAdded".utf8).withUnsafeBytes { topic in
                    writer.appendNotification(
                        flags: NotificationFrame.isKept, .none, topic: topic, nameLength: 14,
                        payload: time)
                }
            }
            writer.patch(sequence: 2, at: WireFormat.sequenceOffset)
        case "report":
            writer.frame(.report) { writer in
                writer.append(UInt64(8))
                DistributedPeerStatus.write([]).withUnsafeBytes { writer.append(bytes: $0) }
            }
        default: return nil
        }
        return writer.withBytes { Array($0) }
    }

    @Test(arguments: [
        "hello", "bye", "subscribe", "unsubscribe", "sync", "synced", "lost", "heard", "heard on",
        "heard but",
        "connection", "ping",
        "pong", "status", "notification", "report", "farewell", "away", "promise", "choice",
        "context", "kept",
    ])
    func `An example equals the bytes that the code writes`(example: String) throws {
        let document = try WireDocument()
        #expect(try document.bytes(of: example) == Self.frame(example))
    }

    @Test func `No example is left out`() throws {
        for example in try WireDocument().examples where example != "property-list" {
            #expect(try Self.frame(example) != nil, "\(example)")
        }
    }

    @Test func `The greeting reads as the document says`() throws {
        try WireDocument().bytes(of: "hello").withUnsafeBytes { bytes in
            let greeting = try Greeting(UnsafeRawBufferPointer(rebasing: bytes[5...]))
            #expect(greeting == Self.greeting)
        }
    }

    @Test func `Subscriptions read as the document says`() throws {
        for (example, interest) in [("subscribe", Self.added), ("unsubscribe", Self.text)] {
            try WireDocument().bytes(of: example).withUnsafeBytes { bytes in
                let read = try InterestFrame(UnsafeRawBufferPointer(rebasing: bytes[5...]))
                #expect(DistributedInterest(read) == interest)
            }
        }
    }

    @Test func `The notification reads as the document says`() throws {
        try WireDocument().bytes(of: "notification").withUnsafeBytes { bytes in
            let frame = try NotificationFrame(UnsafeRawBufferPointer(rebasing: bytes[4...]))
            #expect(frame.sequence == 1)
            #expect(frame.hasObject)
            #expect(!frame.isImmediate)
            #expect(frame.kind == .propertyList)
            #expect(String(decoding: frame.topic, as: UTF8.self) == "ConverterAddedtext")
            #expect(frame.nameLength == 14)
            let info = try DistributedPayload(.propertyList, Array(frame.payload)).userInfo
            #expect(info?["format"] as? String == "RTF")
        }
    }

    @Test func `The property list reads as the document says`() throws {
        let bytes = try WireDocument().bytes(of: "property-list")
        let info = try DistributedPayload(.propertyList, bytes).userInfo ?? [:]
        #expect(info.count == 4)
        #expect(info["count"] as? Int == -2)
        #expect(info["open"] as? Bool == true)
        let sizes = try #require(info["sizes"] as? [Any])
        #expect(sizes.count == 2)
        #expect(sizes[0] as? Double == 1.5)
        #expect(sizes[1] as? Data == Data([0xca, 0xfe]))
        #expect(info["when"] as? Date == Date(timeIntervalSinceReferenceDate: 0))
    }

    @Test(arguments: [
        ("default", "default"), ("org.example.converters", "org.example.converters"),
        (".hidden/Größe 1", "%2Ehidden%2FGr%C3%B6%C3%9Fe%201"),
    ])
    func `A domain's folder has the name that the document gives`(
        domain: String, folder: String
    ) throws {
        #expect(try RuntimeFolder.fileName(of: domain) == folder)
        #expect(try WireDocument().text.contains("| `\(domain)` | `\(folder)` |"))
    }

    @Test func `The patience of a member that leaves is the document's`() throws {
        #expect(Departure.patience == .seconds(10))
        #expect(Departure.longest == .seconds(5 * 60))
        let text = try WireDocument().text
        #expect(text.contains("a peer that takes nothing for 10 seconds is given up"))
        #expect(text.contains("After 5 minutes, all are given up"))
    }

    @Test(arguments: [
        ("a frame before HELLO was read, without its length", WireFormat.longestGreeting),
        ("a frame after that", WireFormat.longestFrame),
        ("a payload", WireFormat.longestPayload),
        ("a name; an object", WireFormat.longestName),
        ("a name; an object", WireFormat.longestObject),
        ("depth of a property list", PropertyListCoding.maximumDepth),
    ])
    func `Limits are the document's`(what: String, limit: Int) throws {
        #expect(try WireDocument().limit(of: what) == limit)
    }
}

/// `docs/wire-protocol.md`.
struct WireDocument {
    private let page: HexExamples

    init() throws { page = try HexExamples("wire-protocol.md") }

    var text: String { page.text }
    var examples: [String] { page.names }

    func bytes(of example: String) throws -> [UInt8] { try page.bytes(of: example) }

    /// The rows of the table with this head, without the head and the line below it.
    func table(_ head: String) throws -> [[String]] {
        let lines = text.components(separatedBy: "\n")
        let start = try #require(lines.firstIndex(of: head), "a table that begins with \(head)")
        return lines[(start + 2)...].prefix { $0.hasPrefix("|") }.map { line in
            line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        }
    }

    /// The first number in a row of the table of limits.
    func limit(of what: String) throws -> Int? {
        let row = try #require(text.split(separator: "\n").first { $0.hasPrefix("| \(what) |") })
        let digits = row.dropFirst(what.count + 5).prefix { $0.isNumber || $0 == "," }
        return Int(digits.filter(\.isNumber))
    }
}
