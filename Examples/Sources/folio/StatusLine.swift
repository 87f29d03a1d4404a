// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import Switchyard

/// Says when the document was saved, on main. It is quick, but late while the grid keeps main.
@MainActor
final class StatusLine {
    private var lastSave: Date?

    init(center: NotificationCenter) {
        center.observe(Saved.self, with: self, StatusLine.saved)
    }

    func saved(_ message: Saved) { lastSave = message.at }
}
