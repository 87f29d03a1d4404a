// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import SwitchyardDistributed
import Testing

@Suite("Property lists, written and read back") struct PropertyListTests {
    private func expectSame(
        _ value: Any, as expected: Any? = nil, at location: SourceLocation = #_sourceLocation
    ) throws {
        let again = try decoded(try encoded(value))
        #expect(isSame(again, expected ?? value), "\(value), \(again)", sourceLocation: location)
    }

    @Test func `A sample of all types comes back, as a value and as userInfo`() throws {
        try expectSame(sample)
        let again = try decodedUserInfo(try encoded(userInfo: sample))
        #expect(isSame(again, sample))
        #expect(again["Int8"] as? Int8 == .min)
        #expect(again["Date"] as? Date == Date(timeIntervalSinceReferenceDate: 0.1))
    }

    @Test func `Integers come back, from the least to the greatest`() throws {
        func extremes<Value: FixedWidthInteger>(_: Value.Type) throws {
            let values: [Value] = [.min, .min + 1, 0, 1, .max / 2, .max - 1, .max]
            for value in values { try expectSame(value) }
            try expectSame(values)
        }
        try extremes(Int.self)
        try extremes(Int8.self)
        try extremes(Int16.self)
        try extremes(Int32.self)
        try extremes(Int64.self)
        try extremes(UInt.self)
        try extremes(UInt8.self)
        try extremes(UInt16.self)
        try extremes(UInt32.self)
        try extremes(UInt64.self)
        #expect(try decoded(try encoded(1)) is Int)
        #expect(try decoded(try encoded(true)) is Bool)
    }

    @Test func `Floating-point numbers come back to the last bit`() throws {
        let doubles: [Double] = [
            0, -0.0, .leastNonzeroMagnitude, .greatestFiniteMagnitude, .infinity, -.infinity, .nan,
            .signalingNaN, Double(bitPattern: 0x7ff8_0000_dead_beef), 0.1,
        ]
        for double in doubles {
            try expectSame(double)
            try expectSame(Date(timeIntervalSinceReferenceDate: double))
        }
        let floats: [Float] = [
            0, -0.0, .leastNonzeroMagnitude, .greatestFiniteMagnitude, .infinity, -.infinity, .nan,
            .signalingNaN, Float(bitPattern: 0xffc0_1234), 0.1,
        ]
        for float in floats { try expectSame(float) }
        try expectSame(CGFloat(2.5), as: 2.5)
    }

    @Test func `Dates come back exactly`() throws {
        for date in [Date(), .distantPast, .distantFuture, Date(timeIntervalSince1970: 1 / 3)] {
            try expectSame(date)
        }
        #expect(
            try encoded(Date(timeIntervalSinceReferenceDate: 1)) == [
                0x32, 0, 0, 0, 0, 0, 0, 240, 63,
            ])
    }

    @Test
    func `Strings come back: empty, long, emoji, other spellings of one letter, no Unicode at all`()
        throws
    {
        for string in ["", " ", "🚃👩‍👩‍👧‍👦🇨🇭", "é", "e\u{301}", "\u{0}", "\u{feff}a", "\u{10ffff}"] {
            try expectSame(string)
            try expectSame([string: string])
        }
        try expectSame(String(repeating: "Gleis 9¾ ", count: 100_000))
    }

    @Test func `Data comes back: empty, a slice, big`() throws {
        try expectSame(Data())
        try expectSame(Data([1, 2, 3, 4])[1...2])
        try expectSame(Data((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0) }))
    }

    @Test func `Containers come back: empty, of one type, inside each other`() throws {
        try expectSame([Any]())
        try expectSame([String: Any]())
        #expect(try decodedUserInfo(try encoded(userInfo: [:])).isEmpty)
        try expectSame([1, 2, 3])
        try expectSame([[1], [], [2, 3]])
        try expectSame(["a": ["b": [1.5]], "c": [:]])
        try expectSame(["a": "b", "c": "d"])
        try expectSame(Array(repeating: ["k": true], count: 10_000))
        let many = Dictionary(uniqueKeysWithValues: (0..<10_000).map { ("\($0)", $0) })
        try expectSame(many)
    }

    @Test func `A value wrapped in Any, AnyHashable or Optional is taken as it is`()
        throws
    {
        let sendable: [String: any Sendable] = ["a": 1, "b": ["c": "d"] as [String: any Sendable]]
        try expectSame(sendable, as: ["a": 1, "b": ["c": "d"]] as [String: Any])
        let hashable: [String: AnyHashable] = ["a": 1, "b": ["c"], "c": true]
        try expectSame(hashable, as: ["a": 1, "b": ["c"], "c": true] as [String: Any])
        try expectSame([Optional(1) as Any, Optional("x") as Any], as: [1, "x"] as [Any])
        let twice: [Int??] = [.some(.some(1))]
        try expectSame(twice, as: [1])
        try expectSame([AnyHashable(AnyHashable("x"))], as: ["x"])
    }

    @Test
    func `Decoded dictionaries have strings as keys, and cast to dictionaries of one value type`()
        throws
    {
        let info = try decodedUserInfo(
            try encoded(userInfo: ["a": ["b": 1, "c": 2], "d": ["x", "y"]]))
        #expect(info["a"] as? [String: Int] == ["b": 1, "c": 2])
        #expect(info["d"] as? [String] == ["x", "y"])
        #expect(info["a"] is [String: Any])
    }

    @Test func `Foundation's classes are encoded as the values that they hold`() throws {
        try expectSame(NSString("é🚃"), as: "é🚃")
        try expectSame(NSMutableString(string: "x"), as: "x")
        try expectSame(NSData(data: Data([1, 2])), as: Data([1, 2]))
        try expectSame(NSMutableData(data: Data([3])), as: Data([3]))
        let date = Date(timeIntervalSinceReferenceDate: 1 / 3)
        try expectSame(NSDate(timeIntervalSinceReferenceDate: 1 / 3), as: date)
        try expectSame(NSArray(array: ["a", NSNumber(value: 1)]), as: ["a", 1] as [Any])
        let mutable = NSMutableArray()
        mutable.add(NSArray(object: "x"))
        try expectSame(mutable, as: [["x"]])
        let dictionary = NSMutableDictionary()
        dictionary["a"] = NSDictionary(object: true, forKey: NSString("b"))
        try expectSame(dictionary, as: ["a": ["b": true]])
        try expectSame([NSString("k"): NSString("v")], as: ["k": "v"])
        try expectSame([AnyHashable(NSString("k")): 1], as: ["k": 1])
    }

    @Test func `An NSNumber with a Bool stays a Bool, with an Int an Int, with a Double a Double`()
        throws
    {
        try expectSame(NSNumber(value: true), as: true)
        try expectSame(NSNumber(value: false), as: false)
        for int in [Int.min, -1, 0, 1, 127, 40_000, Int.max] {
            try expectSame(NSNumber(value: int), as: int)
        }
        try expectSame(NSNumber(value: Int8(1)), as: 1)
        try expectSame(NSNumber(value: UInt8.max), as: 255)
        try expectSame(NSNumber(value: UInt32.max), as: 4_294_967_295)
        try expectSame(NSNumber(value: UInt64(Int.max)), as: Int.max)
        try expectSame(NSNumber(value: UInt64(Int.max) + 1), as: UInt(Int.max) + 1)
        try expectSame(NSNumber(value: UInt.max), as: UInt.max)
        try expectSame(NSNumber(value: 1.0), as: 1.0)
        try expectSame(NSNumber(value: -0.0), as: -0.0)
        try expectSame(NSNumber(value: Double.infinity), as: Double.infinity)
        try expectSame(NSNumber(value: Float(0.1)), as: Float(0.1))
        try expectSame(NSArray(array: [true, 1, 1.0]), as: [true, 1, 1.0] as [Any])
    }

    @Test func `The bytes are those of the table`() throws {
        #expect(try encoded(false) == [0x01])
        #expect(try encoded(true) == [0x02])
        #expect(try encoded(-2) == [0x10, 0xfe, 255, 255, 255, 255, 255, 255, 255])
        #expect(try encoded(Int8(-1)) == [0x11, 0xff])
        #expect(try encoded(Int16(0x0102)) == [0x12, 2, 1])
        #expect(try encoded(Int32(1)) == [0x13, 1, 0, 0, 0])
        #expect(try encoded(Int64(1)) == [0x14, 1, 0, 0, 0, 0, 0, 0, 0])
        #expect(try encoded(UInt(1)) == [0x18, 1, 0, 0, 0, 0, 0, 0, 0])
        #expect(try encoded(UInt8(1)) == [0x19, 1])
        #expect(try encoded(UInt16(1)) == [0x1a, 1, 0])
        #expect(try encoded(UInt32(1)) == [0x1b, 1, 0, 0, 0])
        #expect(try encoded(UInt64(1)) == [0x1c, 1, 0, 0, 0, 0, 0, 0, 0])
        #expect(try encoded(1.0) == [0x20, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f])
        #expect(try encoded(Float(1)) == [0x21, 0, 0, 0x80, 0x3f])
        #expect(try encoded("é") == [0x30, 2, 0, 0, 0, 0xc3, 0xa9])
        #expect(try encoded(Data([7])) == [0x31, 1, 0, 0, 0, 7])
        #expect(try encoded([true, Int8(3)] as [Any]) == [0x40, 2, 0, 0, 0, 2, 0x11, 3])
        #expect(try encoded(["k": false]) == [0x41, 1, 0, 0, 0, 1, 0, 0, 0, 0x6b, 1])
        #expect(try encoded(userInfo: ["k": false]) == encoded(["k": false]))
    }
}
