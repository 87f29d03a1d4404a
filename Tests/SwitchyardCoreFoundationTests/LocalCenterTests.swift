// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import CoreFoundation
import Foundation
import Switchyard
import SwitchyardCoreFoundation
import TestSupport
import Testing

private typealias NotificationCenter = Switchyard.NotificationCenter

@Suite("CoreFoundation's local center")
struct LocalCenterTests {
    private let center: CFNotificationCenter = CFNotificationCenterGetLocalCenter()
    private let heard = Heard()
    private let name = Notification.Name("test \(UUID())")
    private var cfName: CFString { cfString(name.rawValue) }

    @Test func `A center is an object of CoreFoundation's, the same one each time`() {
        #expect(CFGetTypeID(center) == CFNotificationCenterGetTypeID())
        #expect(CFNotificationCenterGetTypeID() != CFStringGetTypeID())
        #expect(center === CFNotificationCenterGetLocalCenter())
        let distributed: CFNotificationCenter = CFNotificationCenterGetDistributedCenter()
        let darwin: CFNotificationCenter = CFNotificationCenterGetDarwinNotifyCenter()
        #expect(distributed !== center)
        #expect(darwin !== center)
        #expect(distributed !== darwin)
    }

    @Test
    func `An observer is called on the posting thread with the post's name, object and userInfo`()
        throws
    {
        let object = NSObject()
        let userInfo = cfDictionary(["format": "RTF"])
        observe()
        CFNotificationCenterPostNotification(center, cfName, pointer(object), userInfo, false)
        let entry = try #require(heard.log.entries.first)
        #expect(heard.log.entries.count == 1)
        #expect(entry.name == name.rawValue)
        #expect(entry.object == UInt(bitPattern: pointer(object)))
        #expect(entry.format == "RTF")
        #expect(entry.center == UInt(bitPattern: pointer(center)))
        #expect(entry.thread == ObjectIdentifier(Thread.current))
    }

    @Test func `Pointers of C code are never followed`() {
        let (noObject, another) = (UnsafeRawPointer(bitPattern: 1), UnsafeRawPointer(bitPattern: 2))
        observe(object: noObject)
        CFNotificationCenterPostNotification(center, cfName, noObject, nil, true)
        CFNotificationCenterPostNotification(center, cfName, another, nil, true)
        CFNotificationCenterPostNotification(center, cfName, nil, nil, true)
        #expect(heard.log.entries.map(\.object) == [1])
        CFNotificationCenterRemoveObserver(center, heard.pointer, cfName, noObject)
        CFNotificationCenterPostNotification(center, cfName, noObject, nil, true)
        #expect(heard.log.entries.count == 1)
    }

    @Test func `A C observer hears the posts of Swift code`() throws {
        let object = NSObject()
        observe(object: pointer(object))
        NotificationCenter.default.post(name: name, object: NSObject())
        NotificationCenter.default.post(name: name, object: object, userInfo: ["format": "RTF"])
        let entry = try #require(heard.log.entries.first)
        #expect(heard.log.entries.count == 1)
        #expect(entry.object == UInt(bitPattern: pointer(object)))
        #expect(entry.format == "RTF")
    }

    @Test func `A C observer gets an object for a Swift value`() throws {
        observe(readingObject: true)
        NotificationCenter.default.post(name: name, object: "a string")
        #expect(heard.log.entries.map(\.objectText) == ["a string"])
    }

    @Test func `Swift observers hear the posts of C code`() {
        let log = Log<String>()
        let object = NSObject()
        let token = NotificationCenter.default.observe(name, of: object) { notification in
            log.add("\(notification.name.rawValue) \(notification.userInfo?["format"] ?? "?")")
        }
        let userInfo = cfDictionary(["format": "RTF"])
        CFNotificationCenterPostNotification(center, cfName, pointer(log), nil, true)
        CFNotificationCenterPostNotification(center, cfName, pointer(object), userInfo, false)
        #expect(log.entries == ["\(name.rawValue) RTF"])
        withExtendedLifetime((object, token)) {}
    }

    @Test func `A post of C code waits for Swift observers on other contexts`() async {
        let log = Log<String>()
        let queue = DispatchQueue(label: "elsewhere")
        queue.suspend()
        let token = NotificationCenter.default.observe(name, on: .dispatchQueue(queue)) {
            log.add("\($0.name.rawValue) \($0.userInfo?["format"] ?? "?") \($0.object ?? "?")")
        }
        do {
            let object = NSString(string: "an object")
            let userInfo = cfDictionary(["format": "RTF"])
            CFNotificationCenterPostNotification(center, cfName, pointer(object), userInfo, false)
            withExtendedLifetime(object) {}
        }
        queue.resume()
        #expect(await log.arrival(of: 1) == ["\(name.rawValue) RTF an object"])
        withExtendedLifetime(token) {}
    }

    @Test func `An observer is called once for each of its registrations, until they are removed`()
    {
        let (one, other) = (NSObject(), NSObject())
        func post() -> Int {
            let before = heard.log.entries.count
            CFNotificationCenterPostNotification(center, cfName, pointer(one), nil, false)
            return heard.log.entries.count - before
        }
        observe()
        observe()
        observe(object: pointer(one))
        observe(object: pointer(other))
        #expect(post() == 3)
        CFNotificationCenterRemoveObserver(center, heard.pointer, cfName, pointer(one))
        #expect(post() == 2)
        CFNotificationCenterRemoveObserver(center, heard.pointer, cfString("another name"), nil)
        #expect(post() == 2)
        CFNotificationCenterRemoveObserver(center, heard.pointer, cfName, nil)
        #expect(post() == 0)
    }

    @Test func `All registrations of one observer can be removed, and no other's`() {
        let other = Heard()
        observe()
        CFNotificationCenterAddObserver(center, other.pointer, Heard.callback, cfName, nil, .drop)
        CFNotificationCenterRemoveEveryObserver(center, heard.pointer)
        CFNotificationCenterPostNotificationWithOptions(center, cfName, nil, nil, 0)
        #expect(heard.log.entries.isEmpty)
        #expect(other.log.entries.count == 1)
        CFNotificationCenterRemoveObserver(center, other.pointer, nil, nil)
        CFNotificationCenterPostNotificationWithOptions(center, cfName, nil, nil, 0)
        #expect(other.log.entries.count == 1)
    }

    @Test func `An observer without a name hears all names`() {
        CFNotificationCenterAddObserver(center, heard.pointer, Heard.callback, nil, nil, .drop)
        CFNotificationCenterPostNotification(center, cfName, nil, nil, false)
        CFNotificationCenterRemoveEveryObserver(center, heard.pointer)
        // Other tests post at the same time.
        #expect(heard.log.entries.filter { $0.name == name.rawValue }.count == 1)
    }

    @Test func `A call without a required argument does nothing`() {
        CFNotificationCenterAddObserver(center, heard.pointer, nil, cfName, nil, .drop)
        CFNotificationCenterAddObserver(nil, heard.pointer, Heard.callback, cfName, nil, .drop)
        CFNotificationCenterPostNotification(center, nil, nil, nil, false)
        CFNotificationCenterPostNotification(nil, cfName, nil, nil, false)
        CFNotificationCenterRemoveObserver(center, nil, cfName, nil)
        CFNotificationCenterRemoveEveryObserver(nil, heard.pointer)
        CFNotificationCenterPostNotification(center, cfName, nil, nil, false)
        #expect(heard.log.entries.isEmpty)
    }

    private func observe(object: UnsafeRawPointer? = nil, readingObject: Bool = false) {
        CFNotificationCenterAddObserver(
            center, heard.pointer, readingObject ? Heard.callbackReadingObject : Heard.callback,
            cfName, object, .deliverImmediately)
    }
}
