// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import SwitchyardCore
import TestSupport
import Testing

@testable import SwitchyardDistributed

/// An observer with `.deliverImmediately` that has ended no longer lets notifications through a
/// suspension.
@Suite("Suspension after an immediate observer") struct SuspensionEndedObserverTests {
    private static let name = Notification.Name("A")
    private let center: DistributedNotificationCenter
    private let heard = Log<String>()

    init() throws {
        center = try DistributedNotificationCenter(domain: "lonely", network: LonelyNetwork())
    }

    private final class Listener: Sendable {
        func hear(_ notification: Notification) {}
    }

    /// Posts while the center is suspended, after `end` has ended an observer that was immediate.
    private func expectSuspended(afterEnd end: () -> Void) {
        let token = center.observe(Self.name, on: .poster, options: .whenSuspended(.hold)) {
            [heard] _ in heard.add("held")
        }
        end()
        let before = heard.entries.count
        center.suspended = true
        center.post(name: Self.name, object: nil)
        heard.add("resumed")
        center.suspended = false
        #expect(heard.entries.dropFirst(before) == ["resumed", "held"])
        token.cancel()
    }

    @Test(.rule(38)) func `Suspension holds after an immediate observer was removed`() {
        expectSuspended {
            let options = ObservationOptions.whenSuspended(.deliverImmediately)
            center.observe(Self.name, options: options) { _ in }.cancel()
        }
    }

    @Test(.rule(38)) func `Suspension holds after an immediate observer has died`() {
        expectSuspended {
            let listener = Listener()
            center.addObserver(
                listener, selector: Listener.hear, name: Self.name, object: nil,
                suspensionBehavior: .deliverImmediately)
        }
    }

    @Test(.rule(38)) func `Suspension holds after an immediate one-shot observer has fired`() {
        expectSuspended {
            let options = ObservationOptions.whenSuspended(.deliverImmediately).once
            _ = center.observe(Self.name, on: .poster, options: options) { _ in }
            center.post(name: Self.name, object: nil)
        }
    }
}
