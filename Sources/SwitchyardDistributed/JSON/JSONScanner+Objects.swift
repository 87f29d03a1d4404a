// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import SwitchyardWire

// Explains what JSON is that is not an object: a different mistake from writing something that is
// not JSON.
extension JSONScanner {
    /// Returns the error for text that does not begin with an object.
    static func complaint(aboutNoObject text: UnsafeRawBufferPointer) -> MalformedInput {
        let space = Array(" \n\r\t".utf8)
        guard let first = text.first(where: { !space.contains($0) }) else {
            return MalformedInput("there is nothing; it has to be an object, such as {\"n\":1}")
        }
        if text.starts(with: [0xEF, 0xBB, 0xBF]) {
            return MalformedInput("it begins with a byte order mark, which JSON must not have")
        }
        // Foundation decides, because null is JSON as well and the scanner refuses it.
        let isJSON =
            (try? JSONSerialization.jsonObject(with: Data(text), options: .fragmentsAllowed)) != nil
        if isJSON {
            return MalformedInput(
                "it has to be an object, such as {\"n\":1}, and is \(kind(beginningWith: first))")
        }
        do {
            var list = ByteWriter()
            try append(value: text, to: &list)
        } catch {
            return error
        }
        return MalformedInput("it is not JSON")
    }

    private static func kind(beginningWith byte: UInt8) -> String {
        switch byte {
        case UInt8(ascii: "["): "an array"
        case UInt8(ascii: "\""): "a string"
        case UInt8(ascii: "t"), UInt8(ascii: "f"): "a Bool"
        case UInt8(ascii: "n"): "null"
        default: "a number"
        }
    }
}
