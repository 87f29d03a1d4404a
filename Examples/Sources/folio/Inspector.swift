// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import Switchyard

/// A window that shows the settings, on main. It is opened and closed again and again.
@MainActor
final class Inspector {
    private var observation: ObservationToken?
    private var isUpToDate = true

    init(center: NotificationCenter, observations: Observations, isFixed: Bool) {
        let token = center.observe(
            .settingsChanged, on: .main, options: .owned(by: self)
        ) { [weak self] _ in self?.isUpToDate = false }
        if isFixed {
            observation = token
        } else {
            // The fault: the token outlives the window, and so does the observation.
            observations.keep(token)
        }
    }

    func close() { observation?.cancel() }
}
