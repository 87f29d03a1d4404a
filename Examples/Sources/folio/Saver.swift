// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import Switchyard

/// Saves the document again and again, on a thread of its own.
final class Saver: Sendable {
    private let center: NotificationCenter
    private let thread = DeliveryThread(name: "saver")

    init(center: NotificationCenter) { self.center = center }

    func begin() {
        thread.perform { [center] in
            _ = Timer.scheduledTimer(withTimeInterval: 0.23, repeats: true) { _ in
                center.post(Saved(at: Date()))
            }
        }
    }
}
