// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// A check of received JSON before Foundation reads or writes it.
///
/// Foundation's reader and its writer call themselves for each array and object that stands inside
/// another, up to 512 times, on the stack of the thread that receives.
enum JSONDepth {
    /// - Throws: An error if more arrays and objects stand inside each other than a property list
    ///   may have.
    static func check(_ json: UnsafeRawBufferPointer) throws {
        var depth = 0
        var isInString = false
        var isEscaped = false
        for byte in json {
            // Foundation takes UTF-16 as well, whose bytes can't be told apart here.
            if byte == 0 { throw MalformedInput("it is not JSON: it has a byte 0") }
            if isInString {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isInString = true
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            default: break
            }
            if depth > PropertyListCoding.maximumDepth {
                throw MalformedInput(
                    "more than \(PropertyListCoding.maximumDepth) arrays and objects stand inside each other"
                )
            }
        }
    }
}
