// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import SwitchyardDistributed
import TestSupport
import Testing

/// Messages are read and written as Foundation does it, whoever does it.
@Suite("Messages as JSON", .rule(39)) struct MessageCodingTests {
    struct Plain: DistributedMessage, Equatable {
        var text = "as much as people write"
        var number = -42
        var wide = UInt64.max
        var narrow: Int8 = -128
        var share = 0.1
        var half: Float = 1.5
        var isOn = true
        var missing: String?
        var there: Int? = 5
    }

    struct Inner: Codable, Equatable, Hashable {
        var id = 7
        var tags = ["a", "b\"\\/\n\u{1}é𝄞"]
    }

    struct Nested: DistributedMessage, Equatable {
        enum Kind: String, Codable { case small, large }
        enum Choice: Codable, Equatable {
            case none
            case some(Int)
            case named(text: String)
        }

        var inner = Inner()
        var list = [Inner(id: 1), Inner(id: 2, tags: [])]
        var matrix = [[1.5, -0.0, 1e300, Double.leastNonzeroMagnitude], []]
        var byName = ["x": 1, "é": 2]
        var byNumber = [3: "three"]
        var kinds = [Kind.small, .large]
        var choices = [Choice.none, .some(3), .named(text: "")]
        var optionals: [Int?] = [1, nil]
        var date = Date(timeIntervalSinceReferenceDate: 0.125)
        var data = Data([0, 255, 62, 63])
        var url = URL(string: "https://example.org/a?b=c")
        var decimal = Decimal(string: "0.1")
    }

    private func encodedByFoundation(
        _ message: some DistributedMessage
    ) throws -> DistributedPayload {
        try payload(JSONEncoder().encode(message))
    }

    /// The payload of a message from a peer that wrote this JSON.
    private func payload(_ json: Data) throws -> DistributedPayload {
        struct Empty: DistributedMessage {}
        return DistributedPayload(try DistributedPayload(message: Empty()).kind, Array(json))
    }

    private func check<Message: DistributedMessage & Equatable>(_ message: Message) throws {
        let payload = try DistributedPayload(message: message)
        #expect(try JSONDecoder().decode(Message.self, from: Data(payload.bytes)) == message)
        #expect(try payload.message(Message.self) == message)
        #expect(try encodedByFoundation(message).message(Message.self) == message)
    }

    @Test(arguments: ["1", "null"])
    func `A null does not change the types of other values`(last: String) throws {
        let json =
            #"{"i":1,"b":true,"d":0.5,"u":18446744073709551615,"a":[{"i":0,"b":false}],"n":\#(last)}"#
        let info = try #require(try payload(Data(json.utf8)).userInfo)
        #expect(info["i"] as? Int == 1 && !(info["i"] is Bool) && !(info["i"] is Double))
        #expect(info["b"] as? Bool == true && !(info["b"] is Int))
        #expect(info["d"] as? Double == 0.5 && !(info["d"] is Bool))
        #expect(info["u"] as? UInt == .max && !(info["u"] is Double))
        let inner = try #require((info["a"] as? [Any])?.first as? [AnyHashable: Any])
        #expect(inner["i"] as? Int == 0 && !(inner["i"] is Bool))
        #expect(inner["b"] as? Bool == false && !(inner["b"] is Int))
    }

    @Test func `Foundation reads what is written here, and the other way round`() throws {
        try check(Plain())
        try check(Plain(text: "", number: .min, wide: 0, narrow: 127, share: -0.0, isOn: false))
        try check(Plain(text: "\u{2028}\u{7F}\r\t\"é\u{0}", missing: "", there: nil))
        try check(Nested())
    }

    /// A message that catches the error of a member that has written a part of itself.
    struct Catching: DistributedMessage {
        enum Key: CodingKey { case member, number }
        enum Form: CaseIterable, Codable { case nothing, object, array, value }

        struct Failing: Encodable {
            let form: Form
            func encode(to encoder: any Encoder) throws {
                switch form {
                case .nothing: break
                case .object:
                    var members = encoder.container(keyedBy: Key.self)
                    try members.encode(1, forKey: .number)
                case .array:
                    var items = encoder.unkeyedContainer()
                    try items.encode(1)
                case .value:
                    var value = encoder.singleValueContainer()
                    try value.encode(1)
                }
                throw CancellationError()
            }
        }

        var form: Form

        init(form: Form) { self.form = form }

        init(from decoder: any Decoder) throws { form = .nothing }

        func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: Key.self)
            try? members.encode(Failing(form: form), forKey: .member)
            try members.encode(1, forKey: .number)
        }
    }

    @Test(arguments: Catching.Form.allCases)
    func `A member whose encoding throws leaves what Foundation leaves of it`(
        _ form: Catching.Form
    ) throws {
        let message = Catching(form: form)
        let expected = try JSONSerialization.jsonObject(with: JSONEncoder().encode(message))
        let found = try JSONSerialization.jsonObject(
            with: Data(DistributedPayload(message: message).bytes))
        #expect(found as? NSDictionary == expected as? NSDictionary)
    }

    @Test(arguments: [
        "0", "-0", "1", "-1", "0.5", "1.0", "100", "123456789012345678", "1234567890123456789",
        "9223372036854775807", "9223372036854775808", "1e2", "1E-2", "0.1", "2.5e-8", "1e400",
        "1e-400", "-0.0", "3.14159265358979323846", "9007199254740993", "0.30000000000000004",
    ])
    func `Numbers are what Foundation takes them for`(number: String) throws {
        struct Double: DistributedMessage { var value: Swift.Double }
        struct Float: DistributedMessage { var value: Swift.Float }
        struct Int: DistributedMessage { var value: Swift.Int }
        struct UInt8: DistributedMessage { var value: Swift.UInt8 }
        let json = Data(#"{"value":\#(number)}"#.utf8)
        func isSame<Message: DistributedMessage>(_ type: Message.Type) throws {
            let expected = Result { try JSONDecoder().decode(type, from: json) }
            let found = Result { try payload(json).message(type) }
            let words = "\(found.map { $0.map { "\($0)" } ?? "" })"
            if case .success = expected {
                #expect(words == "\(expected.map { "\($0)" })")
            } else {
                // Foundation only says that the JSON is not valid.
                #expect(words.contains("the number \(number) does not fit in \(type)"))
            }
        }
        try isSame(Double.self)
        try isSame(Float.self)
        try isSame(Int.self)
        try isSame(UInt8.self)
    }

    @Test(arguments: [
        "", "{", "{}", "[]", "null", "{\"text\":1}", "{\"text\":null}", "{\"text\":\"a\"}x",
        "{\"text\":\"a\",}", "{\"text\":\"\\q\"}", "{\"text\":\"\\ud800\"}", "{\"text\":\"a\nb\"}",
        " {\"text\" : \"\\u0061\\/\\ud834\\udd1e\" , \"other\" : [ 1 , {\"a\":null} ] } ",
        "{\"text\":\"a\",\"text\":\"b\"}", "{\"te\\u0078t\":\"a\"}", "{\"text\":\"a\",\"n\":01}",
        "{\"other\":\"\\ud834\\udd\",\"text\":\"a\"}", "{\"other\":\"\\q\",\"text\":\"a\"}",
        "{\"other\":\"\\u00g1\",\"text\":\"a\"}", "{\"other\":\"\\udd1e\",\"text\":\"a\"}",
        "{\"other\":[[[[]]]],\"text\":\"é\"}", "{\"other\":tru,\"text\":\"a\"}",
    ])
    func `Objects, and what is none, are what Foundation takes them for`(text: String) throws {
        struct Message: DistributedMessage { var text: String }
        let json = Data(text.utf8)
        let expected = Result { try JSONDecoder().decode(Message.self, from: json).text }
        let found = Result { try payload(json).message(Message.self)?.text ?? "nothing" }
        #expect("\(found)" == "\(expected)")
    }

    @Test func `Bytes that are not UTF-8 are what Foundation takes them for`() throws {
        struct Message: DistributedMessage { var text: String }
        for json in ["{\"text\":\"a\",\"o\":\"", "{\"text\":\"a", "{\"", ""] {
            let bytes = Array(json.utf8) + [0xFF] + Array("\"}".utf8)
            let expected = Result {
                try JSONDecoder().decode(Message.self, from: Data(bytes)).text
            }
            let found = Result { try payload(Data(bytes)).message(Message.self)?.text ?? "nothing" }
            #expect("\(found)" == "\(expected)")
        }
    }

    /// A message that decodes in ways that few do.
    struct Odd: DistributedMessage, Equatable {
        var found: [String]

        init(found: [String]) { self.found = found }

        private struct Key: CodingKey {
            var stringValue: String
            var intValue: Int? { nil }
            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }

        init(from decoder: any Decoder) throws {
            let object = try decoder.container(keyedBy: Key.self)
            found = []
            found.append("\(object.allKeys.map(\.stringValue).sorted())")
            found.append("\(object.codingPath.count) \(decoder.userInfo.count)")
            // Errors that nobody sees.
            found.append(
                "\((try? object.decode(Int.self, forKey: Key(stringValue: "text"))) ?? -1)")
            found.append(
                "\((try? object.decode(Int.self, forKey: Key(stringValue: "real"))) ?? -1)")
            found.append("\(object.contains(Key(stringValue: "\u{212A}")))")
            let inner = try object.superDecoder(forKey: Key(stringValue: "inner"))
            found.append(try inner.container(keyedBy: Key.self).allKeys[0].stringValue)
            var list = try object.nestedUnkeyedContainer(forKey: Key(stringValue: "list"))
            found.append(
                "\(try list.decodeNil()) \(try list.decode(Int.self)) \(list.currentIndex)")
            found.append("\((try? list.decode(String.self)) ?? "-") \(list.currentIndex)")
        }

        func encode(to encoder: any Encoder) throws {
            var object = encoder.container(keyedBy: Key.self)
            try object.encode("a", forKey: Key(stringValue: "text"))
            // The second of two is the one.
            try object.encode(1, forKey: Key(stringValue: "real"))
            try object.encode(2.0, forKey: Key(stringValue: "real"))
            try object.encode(true, forKey: Key(stringValue: "K"))
            var inner = object.nestedContainer(
                keyedBy: Key.self, forKey: Key(stringValue: "inner"))
            var list = object.nestedUnkeyedContainer(forKey: Key(stringValue: "list"))
            // In turns.
            try list.encodeNil()
            try inner.encode(1, forKey: Key(stringValue: "first"))
            try list.encode(5)
        }
    }

    @Test func `What few messages do is left to Foundation`() throws {
        let message = Odd(found: [])
        let payload = try DistributedPayload(message: message)
        let object = try JSONSerialization.jsonObject(with: Data(payload.bytes)) as? NSDictionary
        let other = try JSONSerialization.jsonObject(with: JSONEncoder().encode(message))
        #expect(object == other as? NSDictionary)
        #expect(
            try payload.message(Odd.self)
                == JSONDecoder().decode(Odd.self, from: Data(payload.bytes)))
    }

    /// A message that keeps what it is decoded with.
    struct Keeping: DistributedMessage, @unchecked Sendable {
        // Sendable: of one thread here.
        let container: KeyedDecodingContainer<Key>
        enum Key: CodingKey { case number, text }

        init(from decoder: any Decoder) throws {
            container = try decoder.container(keyedBy: Key.self)
        }

        func encode(to encoder: any Encoder) throws {
            var object = encoder.container(keyedBy: Key.self)
            try object.encode(container.decode(Int.self, forKey: .number), forKey: .number)
        }
    }

    @Test func `A message may keep its decoder`() throws {
        let first = try #require(
            try payload(Data(#"{"number":1,"text":"a"}"#.utf8)).message(Keeping.self))
        _ = try payload(Data(#"{"number":2}"#.utf8)).message(Keeping.self)
        #expect(try first.container.decode(Int.self, forKey: .number) == 1)
        #expect(throws: DecodingError.self) { try first.container.decode(Int.self, forKey: .text) }
    }

    @Test func `A message is as deep as a property list may be, and no deeper`() throws {
        /// A message with arrays in each other.
        struct Nested: DistributedMessage {
            indirect enum Level: Codable, Sendable {
                case end
                case more(Level)

                init(_ depth: Int) { self = depth == 0 ? .end : .more(Level(depth - 1)) }

                init(from decoder: any Decoder) throws {
                    var container = try decoder.unkeyedContainer()
                    self = container.isAtEnd ? .end : .more(try container.decode(Level.self))
                }

                func encode(to encoder: any Encoder) throws {
                    var container = encoder.unkeyedContainer()
                    if case .more(let level) = self { try container.encode(level) }
                }
            }

            var level: Level
        }
        // The message is an object with one more array.
        let deepest = try DistributedPayload(message: Nested(level: Nested.Level(62)))
        #expect(try deepest.userInfo?.count == 1)
        #expect {
            try DistributedPayload(message: Nested(level: Nested.Level(63)))
        } throws: { error in
            (error as? DistributedPostError)?.code == .notEncodable
                && "\(error)".contains("more than 64")
        }
    }

    @Test func `A message that can't be encoded says why`() {
        struct Infinite: DistributedMessage { var number = Double.infinity }
        #expect {
            try DistributedPayload(message: Infinite())
        } throws: { error in
            (error as? DistributedPostError)?.code == .notEncodable
                && (error as? DistributedPostError)?.cause is EncodingError
        }
    }
}
