// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import SwitchyardDistributed
import Testing

@Suite("Archived notifications") struct NotificationArchiveTests {
    private let notification = Notification(
        name: Notification.Name("windowDidMove 🚃"), object: "main window", userInfo: sample)

    private func again(_ notification: Notification) throws -> Notification {
        try NotificationArchive.decode(try NotificationArchive.encode(notification))
    }

    /// The reason why data is refused; nil if it is not refused.
    private func refusal(of data: Data) -> PropertyListError? {
        do throws(PropertyListError) {
            _ = try NotificationArchive.decode(data)
            return nil
        } catch {
            return error
        }
    }

    @Test func `Name, object and userInfo come back`() throws {
        let again = try again(notification)
        #expect(again.name == notification.name)
        #expect(again.object as? String == "main window")
        #expect(isSame(try #require(again.userInfo), sample))
    }

    @Test func `A missing object or userInfo stays missing, and an empty one stays empty`() throws {
        let none = try again(Notification(name: Notification.Name("")))
        #expect(none.name.rawValue.isEmpty && none.object == nil && none.userInfo == nil)
        let empty = try again(
            Notification(name: Notification.Name("n"), object: "", userInfo: [:]))
        #expect(empty.object as? String == "" && empty.userInfo?.isEmpty == true)
        let half = try again(Notification(name: Notification.Name("n"), userInfo: ["k": true]))
        #expect(half.object == nil && half.userInfo?["k"] as? Bool == true)
    }

    @Test func `The object may be any property-list value`() throws {
        let objects: [Any] = [
            true, 1, UInt8(2), 1.5, "s", Data([1]), Date(), [1, "a"] as [Any], ["k": [true]],
        ]
        for object in objects {
            let again = try again(Notification(name: Notification.Name("n"), object: object))
            #expect(isSame(try #require(again.object), object))
        }
    }

    @Test func `A value that can't be archived is an error that says where it stands`() throws {
        final class Window {}
        var failing = notification
        failing.userInfo?["window"] = ["owner": Window()]
        let inUserInfo = #expect(throws: PropertyListError.self) {
            try NotificationArchive.encode(failing)
        }
        #expect(inUserInfo?.path == #"userInfo["window"]["owner"]"#)
        failing = Notification(name: Notification.Name("n"), object: Window())
        let inObject = #expect(throws: PropertyListError.self) {
            try NotificationArchive.encode(failing)
        }
        #expect(inObject.map { "\($0)" }?.hasPrefix("object is a Window, which is no") == true)
    }

    @Test func `The data has the form that the documentation gives`() throws {
        let small = Notification(name: Notification.Name("n"), object: true, userInfo: [:])
        let data = try NotificationArchive.encode(small)
        #expect(
            Array(data) == Array("SYNA".utf8) + [1, 3, 1, 0, 0, 0, 0x6e, 0x02, 0x41, 0, 0, 0, 0])
        #expect(isSame(try #require(try NotificationArchive.decode(data).object), true))
    }

    @Test func `Data that starts elsewhere than at 0 is read from its start`() throws {
        let data = Data([9, 9]) + (try NotificationArchive.encode(notification))
        #expect(try NotificationArchive.decode(data[2...]).name == notification.name)
    }

    @Test func `Each truncation is malformed`() throws {
        let data = try NotificationArchive.encode(notification)
        for count in 0..<data.count {
            #expect(refusal(of: data.prefix(count))?.code == .malformed, "\(count)")
        }
        #expect(refusal(of: data + [0])?.code == .malformed)
    }

    @Test func `Each change of a single byte is an error, or another notification`() throws {
        var data = try NotificationArchive.encode(
            Notification(name: Notification.Name("né"), object: "o", userInfo: ["k": [1, "s"]]))
        for index in data.indices {
            let original = data[index]
            for byte in UInt8.min...UInt8.max where byte != original {
                data[index] = byte
                if let read = try? NotificationArchive.decode(data) {
                    #expect(try again(read).name == read.name)
                }
            }
            data[index] = original
        }
    }

    @Test func `An archive of a later version is told apart from data that is no archive`() throws {
        var data = try NotificationArchive.encode(notification)
        data[4] = 2
        #expect(refusal(of: data)?.code == .unknownVersion)
        #expect(refusal(of: data).map { "\($0)" }?.contains("a later version") == true)
        data[4] = 0
        #expect(refusal(of: data)?.code == .malformed)
        data[4] = 1
        data[5] = 0x83
        #expect(refusal(of: data)?.code == .malformed)
        let error = refusal(of: Data("<?xml version".utf8))
        #expect(error?.code == .malformed && error?.path.isEmpty == true)
        #expect(
            error.map { "\($0)" } == """
                this is no notification's archive: malformed: at byte 0, expected SYNA, with which \
                each archive begins
                """)
    }
}
