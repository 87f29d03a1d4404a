// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import CoreFoundation
import Foundation
import SwitchyardDistributed
import Testing

@testable import SwitchyardCoreFoundation

/// Values that C code makes, which are not of Foundation's own classes.
@Suite("Values of C code")
struct BridgeTests {
    private func made(_ text: String) -> CFString {
        CFStringCreateWithCString(nil, text, CFStringBuiltInEncodings.UTF8.rawValue)
    }

    private func made() -> CFMutableDictionary {
        var (keys, values) = (kCFTypeDictionaryKeyCallBacks, kCFTypeDictionaryValueCallBacks)
        return CFDictionaryCreateMutable(nil, 0, &keys, &values)
    }

    @Test(arguments: ["", "a", "one that is longer than any string without storage", "ünïcödé ☃ 🚦"])
    func `A string comes as it is`(text: String) {
        let original = made(text)
        let copy: CFMutableString = CFStringCreateMutableCopy(nil, 0, original)
        let foundations = NSString(string: text)
        let pointers = [pointer(original), pointer(copy), pointer(foundations)]
        #expect(pointers.map { string(at: $0) } == [text, text, text])
        withExtendedLifetime((original, copy, foundations)) {}
    }

    @Test func `Every kind of property-list value can be sent`() throws {
        var (number, fraction) = (Int64.min, 0.1)
        let bytes: [UInt8] = [1, 2, 3]
        var values = kCFTypeArrayCallBacks
        let array: CFMutableArray = CFArrayCreateMutable(nil, 0, &values)
        let element = made("element")
        CFArrayAppendValue(array, pointer(element))
        withExtendedLifetime(element) {}
        let (info, inner) = (made(), made())
        func set(_ key: String, _ value: AnyObject, in dictionary: CFMutableDictionary) {
            let key = made(key)
            CFDictionarySetValue(dictionary, pointer(key), pointer(value))
            withExtendedLifetime((key, value)) {}
        }
        set("key", made("value"), in: inner)
        set("text", made("a text"), in: info)
        set("integer", CFNumberCreate(nil, .sInt64Type, &number), in: info)
        set("fraction", CFNumberCreate(nil, .doubleType, &fraction), in: info)
        set("truth", kCFBooleanTrue, in: info)
        set("data", CFDataCreate(nil, bytes, bytes.count), in: info)
        set("date", CFDateCreate(nil, 0.5), in: info)
        set("array", array, in: info)
        set("dictionary", inner, in: info)
        let userInfo = dictionary(at: pointer(info))
        let name = Notification.Name("sent")
        let object = unsafeBitCast(made("an object"), to: NSString.self)
        let sent = Notification(name: name, object: object, userInfo: userInfo)
        let archive = try NotificationArchive.encode(sent)
        #expect(try NotificationArchive.decode(archive).object as? String == "an object")
        let received = try NotificationArchive.decode(archive).userInfo
        let expected: [String: Any] = [
            "text": "a text", "integer": Int(number), "fraction": fraction, "truth": true,
            "data": Data(bytes), "date": Date(timeIntervalSinceReferenceDate: 0.5),
            "array": ["element"], "dictionary": ["key": "value"],
        ]
        let other = Notification(name: name, object: nil, userInfo: expected)
        let same = try NotificationArchive.decode(NotificationArchive.encode(other)).userInfo
        #expect(received?.count == expected.count)
        #expect(NSDictionary(dictionary: received ?? [:]) == NSDictionary(dictionary: same ?? [:]))
        #expect(received?["truth"] is Bool)
        #expect(received?["integer"] is Int)
    }

    @Test func `Objects for Swift values are CoreFoundation's kinds`() {
        let types = (["text", 3, ["a"]] as [Any]).map { CFGetTypeID(bridgedObject($0)) }
        #expect(types == [CFStringGetTypeID(), CFNumberGetTypeID(), CFArrayGetTypeID()])
        let object = NSObject()
        #expect(ObjectIdentifier(bridgedObject(object)) == ObjectIdentifier(object))
    }
}
