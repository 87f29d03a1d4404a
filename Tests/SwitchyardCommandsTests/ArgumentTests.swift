// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import SwitchyardDistributed
import Testing

@testable import SwitchyardCommands
@testable import SwitchyardConsole

/// The options of a command line.
@Suite struct ArgumentTests {
    private func value(_ argument: String) throws -> Any {
        try InfoEntry(argument).value.withUnsafeBytes { try PropertyListCoding.decode($0) }
    }

    @Test func `A value of --info is the Bool or number that it is in JSON, and else a string`()
        throws
    {
        #expect(try value("k=true") as? Bool == true)
        #expect(try value("k=false") as? Bool == false)
        for number in [0, 7, -42, .max, .min] {
            #expect(try value("k=\(number)") as? Int == number)
        }
        #expect(try value("k=18446744073709551615") as? UInt == .max)
        for (text, number) in [
            ("2.5", 2.5), ("-0.25", -0.25), ("0.0", 0), ("10.50", 10.5), ("1e3", 1000),
            ("-2.5E-1", -0.25), ("1E+2", 100),
        ] {
            #expect(try value("k=\(text)") as? Double == number)
        }
        for text in [
            "", "True", "yes", "007", "-007", "+1", "1.", ".5", "1.2.3", "1e", "e5", "1e5.0",
            "0x10",
            "nan", "inf", "-", "--1.5", "01.5", "９", " 1", "1 ", "1\n", "a=b", "null", "[1]",
        ] {
            #expect(try value("k=\(text)") as? String == text, "\(text)")
        }
    }

    @Test(arguments: ["18446744073709551616", "-9223372036854775809", "1e400", "-1e400"])
    func `A number that would not be kept is refused, with the way to write it as a string`(
        _ text: String
    ) throws {
        #expect {
            try InfoEntry("k=\(text)")
        } throws: {
            "\($0)".contains("write 'k:=\"\(text)\"'")
        }
        #expect(try value("k:=\"\(text)\"") as? String == text)
    }

    @Test(arguments: ["=x", ":=1", "="])
    func `An entry without a key is refused`(_ argument: String) {
        #expect(throws: MalformedInput.self) { try InfoEntry(argument) }
    }

    @Test func `A value behind := is JSON`() throws {
        #expect(try value("k:=\"1.10\"") as? String == "1.10")
        #expect(try value("k:= [1] ") as? [Int] == [1])
        #expect(try InfoEntry("a:b=c").key == "a:b")
        #expect(try InfoEntry("a:=1").key == "a")
        #expect(throws: MalformedInput.self) { try InfoEntry("k:=") }
        #expect(throws: MalformedInput.self) { try InfoEntry("k") }
    }

    @Test func `Times have units, or are seconds`() {
        for (text, seconds) in [
            ("10s", 10), ("500ms", 0.5), ("2m", 120), ("1.5h", 5400), ("3", 3), ("0.25", 0.25),
            ("0", 0), ("1e30h", 1e9),
        ] {
            #expect(TimeLimit(argument: text)?.seconds == seconds)
        }
        for text in ["", "s", "-1s", "1 s", "1d", "soon", "nan", "inf", "1sm"] {
            #expect(TimeLimit(argument: text) == nil, "\(text)")
        }
    }

    @Test func `An entry in every object wins over an added one`() throws {
        var info = try InfoWriter(
            [InfoEntry("host=web")], object: Array(#"{"host":1,"n":2}"#.utf8))
        for (json, expected) in [
            (#"{"n":3,"host":4,"m":5}"#, ["host": "web", "n": 2, "m": 5] as NSDictionary),
            (#"{}"#, ["host": "web", "n": 2]),
        ] {
            try Array(json.utf8).withUnsafeBytes { try info.add(membersOf: $0) }
            let userInfo = try info.take().userInfo as NSDictionary?
            #expect(userInfo == expected)
        }
    }

    @Test func `userInfo without entries is none`() throws {
        var info = try InfoWriter()
        #expect(try info.take() == .none)
        try Array("{}".utf8).withUnsafeBytes { try info.add(membersOf: $0) }
        #expect(try info.take() == .none)
    }
}
