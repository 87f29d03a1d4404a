// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import SwitchyardDistributed
import SwitchyardWire
import Testing

@Suite("Refusals of values that are no property list") struct PropertyListErrorTests {
    final class Controller {}
    struct Point: Codable { var x = 1.0 }
    enum Format: String { case rtf }

    @Test func `The error names the key path, the type, and what to do`() throws {
        let error = try #require(
            refusal(of: ["window": ["owner": Controller()], "title": "x"] as [AnyHashable: Any]))
        #expect(error.code == .unsupportedValue)
        #expect(error.path == #"userInfo["window"]["owner"]"#)
        #expect(
            "\(error)" == """
                userInfo["window"]["owner"] is a Controller, which is no property-list value: give \
                what identifies it, as a String, number, Bool, Date, Data, Array or Dictionary
                """)
    }

    @Test func `Paths lead through arrays, Foundation's containers, and unusual keys`() {
        func path(_ value: Any) -> String? { refusal(of: value)?.path }
        #expect(path(Controller()) == "value")
        #expect(path([1, [2, Controller()] as [Any]] as [Any]) == "value[1][1]")
        #expect(path(["a": NSArray(array: [1, NSNull()])]) == #"value["a"][1]"#)
        #expect(path(NSDictionary(object: NSNull(), forKey: NSString("k"))) == #"value["k"]"#)
        #expect(path(["a\"\n": Controller()]) == #"value["a\"\n"]"#)
        let long = String(repeating: "k", count: 1000)
        #expect(path([long: Controller()]) == "value[\"\(long.prefix(80))…\"]")
    }

    @Test func `The advice fits the type`() {
        func reason(_ value: Any) -> String { refusal(of: ["k": value]).map { "\($0)" } ?? "none" }
        #expect(
            reason("text".dropLast()).hasSuffix(
                "is a Substring, which is no property-list value: make it a String"))
        #expect(reason(Character("c")).hasSuffix("make it a String"))
        #expect(
            reason(Format.rtf).hasSuffix(
                "is a Format, which is no property-list value: give its rawValue"))
        #expect(reason(Notification.Name("n")).hasSuffix("give its rawValue"))
        #expect(reason(URL(fileURLWithPath: "/")).hasSuffix("give its absoluteString"))
        #expect(reason(UUID()).hasSuffix("give its uuidString"))
        #expect(reason(Decimal(1)).contains("give its description"))
        #expect(reason(NSDecimalNumber(value: 1)).contains("is an NSDecimalNumber"))
        #expect(reason(NSNull()).hasSuffix("leave it out"))
        #expect(reason([1, 2][...]).hasSuffix("make it an Array or Data"))
        #expect(reason(ContiguousArray([1])).hasSuffix("make it an Array or Data"))
        #expect(reason(Set([1])).hasSuffix("make it an Array or Data"))
        #expect(reason(NSSet(object: 1)).hasSuffix("make it an Array or Data"))
        #expect(
            reason(Int128(1)).hasSuffix(
                "is an Int128, which is no property-list value: make it an Int or a Double"))
        #expect(reason(Point()).hasSuffix("encode it, and give the Data, or give its parts"))
        #expect(reason(CocoaError(.fileNoSuchFile)).contains("such as its domain and code"))
        #expect(reason({}).contains("give what identifies it"))
        #expect(reason(Controller.self).contains("give what identifies it"))
        #expect(reason((1, 2)).contains("give what identifies it"))
    }

    @Test func `nil has no value`() {
        let error = refusal(of: ["a": Optional<Int>.none as Any])
        #expect(error?.code == .unsupportedValue)
        #expect(
            error.map { "\($0)" }
                == #"value["a"] is nil, for which property lists have no value: leave it out"#)
        #expect(refusal(of: [Int??.some(.none)])?.path == "value[0]")
        #expect(refusal(of: [Optional(Controller())])?.code == .unsupportedValue)
    }

    @Test func `A key that is no string is refused, with its dictionary's path`() {
        let error = refusal(of: ["a": [[1: "x"]]] as [AnyHashable: Any])
        #expect(error?.code == .keyIsNoString)
        #expect(error?.path == #"userInfo["a"][0]"#)
        #expect(
            error.map { "\($0)" } == """
                userInfo["a"][0] has the key 1, an Int, but the keys of property lists are strings: \
                make it a String
                """)
        let keys: [AnyHashable] = [1, 1.5, true, Notification.Name("n"), "x".dropLast(), UUID()]
        for key in keys {
            #expect(refusal(of: [key: 1])?.code == .keyIsNoString, "\(key)")
            #expect(refusal(of: [key: 1])?.path == "userInfo")
        }
        #expect(refusal(of: [1: 1] as [Int: Int])?.code == .keyIsNoString)
        #expect(
            refusal(of: NSDictionary(object: 1, forKey: NSNumber(value: 1)))?.code == .keyIsNoString
        )
    }

    @Test func `A key that is there as a String and as an NSString is refused`() {
        var info: [AnyHashable: Any] = ["a": 1]
        info[NSString("a")] = 2
        // Both keys are equal on Apple's systems, so the dictionary has one.
        guard info.count == 2 else { return }
        #expect(refusal(of: info)?.code == .duplicateKey)
        #expect(refusal(of: [info])?.path == "value[0]")
    }

    @Test func `64 containers inside each other are allowed, and no more`() throws {
        let deepest = nested(64)
        #expect(isSame(try decoded(try encoded(deepest)), deepest))
        let error = refusal(of: nested(65))
        #expect(error?.code == .tooDeep)
        #expect(error?.path == "value" + String(repeating: "[0]", count: 64))
        #expect(refusal(of: ["k": nested(63)]) == nil)
        #expect(refusal(of: ["k": nested(64)])?.code == .tooDeep)
        #expect(refusal(of: ["k": nested(63)] as [AnyHashable: Any]) == nil)
        #expect(refusal(of: ["k": nested(64)] as [AnyHashable: Any])?.code == .tooDeep)
    }

    @Test
    func
        `A limit is kept to the byte, and ends the encoding of an endless value`()
        throws
    {
        for value in [sample, "text", Data([1, 2, 3]), 5, [1, 2]] as [Any] {
            let count = try encoded(value).count
            #expect(refusal(of: value, limit: count) == nil)
            #expect(refusal(of: value, limit: count - 1)?.code == .tooLarge)
            #expect(refusal(of: value, limit: 0)?.code == .tooLarge)
        }
        let doubled = (0..<60).reduce("x" as Any) { inner, _ in [inner, inner] }
        #expect(refusal(of: doubled, limit: 10_000)?.code == .tooLarge)
        let error = refusal(of: ["a": Data(count: 1000)], limit: 500)
        #expect(error?.path == #"value["a"]"#)
        #expect(error.map { "\($0)" }?.contains("longer than the 500 bytes") == true)
    }

    @Test func `The writer is after an error as it was before`() throws {
        var writer = ByteWriter()
        writer.append(string: "before")
        #expect(throws: PropertyListError.self) {
            try PropertyListCoding.encode(
                ["a": 1, "b": Controller()] as [String: Any], into: &writer)
        }
        #expect(throws: PropertyListError.self) {
            try PropertyListCoding.encode(userInfo: ["a": 1, 2: 3], into: &writer)
        }
        #expect(writer.withBytes { Array($0) } == Array("before".utf8))
    }
}
