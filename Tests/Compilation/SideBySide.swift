// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// swift: 5 6
// The declarations that the rows of the page "Side by side" use. scripts/check-compilation puts the code
// of each row into a method of Controller, in place of the last comment.
import CoreFoundation
import Foundation
import Switchyard
import SwitchyardCoreFoundation
import SwitchyardDistributed
import SwitchyardTesting

import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

extension Notification.Name {
    static let added = Notification.Name("added")
}

final class Converter: Sendable {}

struct ConverterAdded: NotificationMessage {
    typealias Subject = Converter
    var format: String
}

struct Saved: NotificationCenter.AsyncMessage {
    typealias Subject = Converter
}

final class Helper: Sendable {
    func added(_ notification: Notification) {}
}

@MainActor final class Panel {
    func added(_ notification: Notification) {}
}

final class Controller: NSObject, Sendable {
    let center = NotificationCenter.default
    let distributed = DistributedNotificationCenter.default()
    let converter = Converter()
    let helper = Helper()

    var pointer: UnsafeRawPointer { UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()) }
    var cfName: CFString { unsafeBitCast(NSString("added"), to: CFString.self) }

    func added(_ notification: Notification) {}
    func reload() {}
    func changed(_ notification: NSNotification) {}
    func moved() {}
    func moved(_ notification: Notification) {}
    func count(_ notification: Notification) -> Int { 0 }

    // The rows.
}
