// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Switchyard

/// Shows the title of the document that is open, on main.
@MainActor
final class TitleBar {
    private let center: NotificationCenter
    private let isFixed: Bool
    private var observations: [ObservationToken] = []
    private var text = ""

    init(center: NotificationCenter, isFixed: Bool) {
        self.center = center
        self.isFixed = isFixed
    }

    func show(_ document: Document) {
        text = document.title
        // The fault: the observation of the document that was shown before stays, and that document
        // is closed.
        if isFixed { observations.removeAll() }
        observations.append(
            center.observe(TitleChanged.self, of: document, on: .main) { [weak self] changed in
                self?.text = changed.title
            })
    }
}
