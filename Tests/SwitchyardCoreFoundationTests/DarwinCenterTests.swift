// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import CSwitchyardCoreFoundation
import Foundation
import Switchyard
import Synchronization
import TestSupport
import Testing

@testable import SwitchyardCoreFoundation

private typealias NotificationCenter = Switchyard.NotificationCenter

@Suite("CoreFoundation's Darwin center", .timeLimit(.minutes(5)))
struct DarwinCenterTests {
    // The test runs in a process of its own, because the hook is that of the process's default
    // center.
    @Test func `The problem hook may observe and post on the Darwin center`() async {
        await #expect(processExitsWith: .success) {
            let world = NotifyWorld()
            try FileManager.default.createDirectory(
                atPath: world.path, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            setenv("SWITCHYARD_RUNTIME_DIR", world.path, 1)
            let calls = Log<String>()
            NotificationCenter.default.onProblem { problem in
                guard calls.entries.isEmpty else { return }
                calls.add("\(problem)")
                for name in ["damaged", "other"] {
                    Self.observe(name)
                    CFNotificationCenterPostNotification(
                        CFNotificationCenterGetDarwinNotifyCenter(), cfString(name), nil, nil, true)
                }
            }
            var token = NOTIFY_TOKEN_INVALID
            #expect(notify_register_check("damaged", &token) == NOTIFY_STATUS_OK)
            let path = world.path + "/switchyard/.notify/damaged"
            #expect(truncate(path, 0) == 0)
            // A hook that waits for the lock that its caller holds would wait for ever.
            alarm(30)
            Self.observe("damaged")
            #expect(calls.entries.first?.contains(path) == true)
        }
    }

    private static let ticks = Atomic<Int>(0)

    // In a process of its own, whose main thread is free.
    @Test func `A callback that posts its own name again does not run inside itself`() async {
        await #expect(processExitsWith: .success) {
            CFNotificationCenterAddObserver(
                CFNotificationCenterGetDarwinNotifyCenter(), nil,
                { center, _, _, _, _ in
                    let number = Self.ticks.add(1, ordering: .relaxed).newValue
                    guard number < 50_000 else { return }
                    CFNotificationCenterPostNotification(
                        center, cfString("self.tick"), nil, nil, true)
                }, cfString("self.tick"), nil, .deliverImmediately)
            await MainActor.run {
                CFNotificationCenterPostNotification(
                    CFNotificationCenterGetDarwinNotifyCenter(), cfString("self.tick"), nil, nil,
                    true)
            }
            #expect(await until { Self.ticks.load(ordering: .relaxed) == 50_000 })
        }
    }

    private static func observe(_ name: String) {
        CFNotificationCenterAddObserver(
            CFNotificationCenterGetDarwinNotifyCenter(), nil, { _, _, _, _, _ in }, cfString(name),
            nil, .deliverImmediately)
    }
}
