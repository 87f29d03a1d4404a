// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation

/// Advice on what to use instead of a value that property lists can't hold.
enum PropertyListAdvice {
    static func advice(for value: Any) -> String {
        switch value {
        case is Substring, is Character, is StaticString: "make it a String"
        case is URL, is NSURL: "give its absoluteString"
        case is UUID, is NSUUID: "give its uuidString"
        case is Decimal, is NSDecimalNumber:
            "give its description, which loses nothing, or a Double"
        case is NSNull: "leave it out"
        case is any RawRepresentable: "give its rawValue"
        case is any Error: "give what identifies it, such as its domain and code"
        case is any Sequence, is NSSet: "make it an Array or Data"
        case is any BinaryInteger, is any BinaryFloatingPoint: "make it an Int or a Double"
        case is any Encodable: "encode it, and give the Data, or give its parts"
        default:
            "give what identifies it, as a String, number, Bool, Date, Data, Array or Dictionary"
        }
    }
}
