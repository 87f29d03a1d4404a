// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import Switchyard

/// Shows the thumbnails, on main.
@MainActor
final class ThumbnailGrid {
    private let isFixed: Bool
    /// A thread that places the thumbnails, and for which no handler waits.
    private let layout = DeliveryThread(name: "layout")
    private var shown = 0
    private var isDrawn = true

    init(center: NotificationCenter, isFixed: Bool) {
        self.isFixed = isFixed
        center.observe(ThumbnailReady.self, with: self, ThumbnailGrid.show)
        center.observe(.settingsChanged, with: self, ThumbnailGrid.settingsChanged)
    }

    func show(_ thumbnail: ThumbnailReady) {
        shown += 1
        // Now and then a row is full, and all thumbnails are placed anew.
        guard shown.isMultiple(of: 4) else { return }
        if isFixed {
            layout.perform { Self.placeAll() }
        } else {
            // The fault: it takes 30 ms on main, where other handlers wait for it.
            Self.placeAll()
        }
    }

    func settingsChanged(_ notification: Notification) { isDrawn = false }

    private nonisolated static func placeAll() { Work.takes(milliseconds: 30) }
}
