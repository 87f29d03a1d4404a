// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// A file that imports Switchyard in place of Foundation.
import Switchyard

final class Listener: Sendable {
    private let center: NotificationCenter
    let token: NotificationCenter.ObservationToken

    init(center: NotificationCenter, _ heard: @escaping @Sendable (String) -> Void) {
        self.center = center
        token = center.observe(.converterAdded) { note in
            heard(note.userInfo?["format"] as? String ?? "-")
        }
    }

    static var now: Date { Date() }
}
