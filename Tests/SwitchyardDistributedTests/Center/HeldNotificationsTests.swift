// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

@_spi(Engine) import Switchyard
@_spi(Engine) import SwitchyardCore
import TestSupport
import Testing

@testable import SwitchyardDistributed

/// The limits of the notifications that a suspended center holds.
@Suite struct HeldNotificationsTests {
    private func notification(
        _ number: Int, named name: String = "held", size: Int = 10, isForAll: Bool = false
    ) -> HeldNotification {
        HeldNotification(
            payload: NamedPayload(Notification(name: .init(name), object: "\(number)")),
            topic: .name(name), subject: Subject("\(number)"), lastRegistration: 0,
            isForAll: isForAll, size: size)
    }

    @Test(.rule(28))
    func `A suspended center holds a limited number, and gives up and counts the oldest beyond it`()
        throws
    {
        var held = HeldNotifications()
        var givenUp = 0
        for number in 0...HeldNotifications.most {
            givenUp += held.append(notification(number), keepsOlder: true)
        }
        #expect(givenUp > 0 && givenUp < HeldNotifications.most / 8)
        #expect(held.count == HeldNotifications.most + 1 - givenUp)
        let kept = held.takeAll()
        #expect(kept.first?.subject.string == "\(givenUp)")
        #expect(kept.last?.subject.string == "\(HeldNotifications.most)")
    }

    @Test(.rule(28))
    func
        `A suspended center holds a limited number of bytes, and gives up and counts the oldest beyond it`()
    {
        var held = HeldNotifications()
        var givenUp = 0
        for number in 0..<200 {
            givenUp += held.append(notification(number, size: 1024 * 1024), keepsOlder: true)
        }
        #expect(held.count <= 64 && held.count >= 60)
        #expect(held.count + givenUp == 200)
        #expect(held.takeAll().last?.subject.string == "199")
    }

    @Test(.rule(28)) func `Names and objects count to the bytes that a suspended center holds`() {
        var held = HeldNotifications()
        let long = String(repeating: "n", count: 1024 * 1024)
        for number in 0..<200 {
            _ = held.append(notification(number, named: long, size: 0), keepsOlder: true)
        }
        #expect(held.count <= 64)
    }

    @Test func `The last held notification of a name and object is given up last`() {
        var held = HeldNotifications()
        _ = held.append(notification(1, named: "alone"), keepsOlder: true)
        for _ in 0...HeldNotifications.most {
            _ = held.append(notification(1, named: "often"), keepsOlder: true)
        }
        #expect(held.takeAll().first?.topic.name == "alone")
    }

    @Test(.rule(28)) func `Notifications for all observers are given up last, and counted`() {
        let size = 1024 * 1024
        var held = HeldNotifications()
        for number in 0..<32 {
            let notification = notification(number, size: size, isForAll: true)
            #expect(held.append(notification, keepsOlder: true) == 0)
        }
        var givenUp = 0
        for number in 32..<100 {
            givenUp += held.append(notification(number, size: size), keepsOlder: true)
        }
        #expect(held.count <= 64 && held.count + givenUp == 100)
        #expect(held.takeUpToLastForAll().count == 32)
        // Notifications that were taken leave their room.
        for number in 0..<32 {
            #expect(held.append(notification(number, size: size), keepsOlder: true) == 0)
        }
        // Nobody takes them, because observers are slow.
        for number in 0..<200 {
            let notification = notification(number, size: size, isForAll: true)
            _ = held.append(notification, keepsOlder: true)
        }
        #expect(held.count <= 64)
        #expect(held.takeAll().last?.subject.string == "199")
    }

    @Test(.rule(38, 43))
    func `The later of two notifications held out of order stays the latest when gaps are closed`()
    {
        var held = HeldNotifications()
        #expect(held.append(notification(0, size: 2), keepsOlder: true) == 0)
        var stale = notification(0, size: 1)
        stale.audience = .ordinary
        #expect(held.append(stale, keepsOlder: true) == 0)
        for _ in 0..<200 {
            #expect(held.append(notification(1), keepsOlder: false) == 0)
        }
        #expect(held.append(notification(0, size: 3), keepsOlder: true) == 0)
        let all = held.takeAll().filter { $0.key == notification(0).key }
        #expect(all.map(\.size) == [2, 1, 3])
        #expect(all.filter(\.isLatest).map(\.size) == [3])
    }

    @Test func `A superseded notification frees its room`() {
        var held = HeldNotifications()
        for _ in 0..<200 {
            #expect(held.append(notification(1, size: 1024 * 1024), keepsOlder: false) == 0)
        }
        #expect(held.count == 1)
    }
}
