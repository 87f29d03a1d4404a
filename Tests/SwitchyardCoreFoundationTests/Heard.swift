// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import CoreFoundation
import Foundation
import SwitchyardCoreFoundation
import TestSupport

/// An observer with a C callback, which notes down its notifications. Its registrations end with
/// it.
final class Heard: Sendable {
    struct Entry: Sendable {
        let center: UInt
        let name: String
        let object: UInt
        /// The object's description, where that was asked for.
        let objectText: String?
        let format: String?
        let thread: ObjectIdentifier
    }

    let log = Log<Entry>()

    /// The observer, as C code passes it.
    var pointer: UnsafeRawPointer { UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()) }

    static let callback: CFNotificationCallback = { center, observer, name, object, userInfo in
        note(center, observer, name, object, userInfo, readingObject: false)
    }

    static let callbackReadingObject: CFNotificationCallback = {
        center, observer, name, object, userInfo in
        note(center, observer, name, object, userInfo, readingObject: true)
    }

    private static func note(
        _ center: CFNotificationCenter?, _ observer: UnsafeMutableRawPointer?, _ name: CFString?,
        _ object: UnsafeRawPointer?, _ userInfo: CFDictionary?, readingObject: Bool
    ) {
        guard let observer, let center, let name else { return }
        let heard = Unmanaged<Heard>.fromOpaque(observer).takeUnretainedValue()
        let key = NSString("format")
        let format = userInfo.flatMap {
            CFDictionaryGetValue($0, Unmanaged.passUnretained(key).toOpaque())
        }
        heard.log.add(
            Entry(
                center: UInt(bitPattern: SwitchyardCoreFoundationTests.pointer(center)),
                name: "\(unsafeDowncast(name, to: NSString.self))",
                object: UInt(bitPattern: object),
                objectText: readingObject ? object.map(text) : nil, format: format.map(text),
                thread: ObjectIdentifier(Thread.current)))
        withExtendedLifetime(key) {}
    }

    private static func text(_ object: UnsafeRawPointer) -> String {
        "\(Unmanaged<AnyObject>.fromOpaque(object).takeUnretainedValue())"
    }

    deinit {
        for center in [
            CFNotificationCenterGetLocalCenter(), CFNotificationCenterGetDistributedCenter(),
            CFNotificationCenterGetDarwinNotifyCenter(),
        ] {
            CFNotificationCenterRemoveEveryObserver(center, pointer)
        }
    }
}

func cfString(_ text: String) -> CFString {
    unsafeBitCast(NSString(string: text), to: CFString.self)
}

func cfDictionary(_ dictionary: [String: Any]) -> CFDictionary {
    unsafeBitCast(NSDictionary(dictionary: dictionary), to: CFDictionary.self)
}

func pointer(_ object: AnyObject) -> UnsafeRawPointer {
    UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque())
}
