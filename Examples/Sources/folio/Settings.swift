// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import Switchyard

/// The user's settings, on main.
@MainActor
final class Settings {
    private let center: NotificationCenter
    private let isFixed: Bool
    private var isDark = false
    private var zoom = 100

    init(center: NotificationCenter, isFixed: Bool) {
        self.center = center
        self.isFixed = isFixed
    }

    func changeTheme() {
        isDark.toggle()
        center.post(name: .settingsChanged, object: nil)
    }

    func changeZoom() {
        zoom = zoom == 100 ? 125 : 100
        // The fault: a letter is missing, and nobody hears the post. A constant can't be misspelt.
        let name = isFixed ? .settingsChanged : Notification.Name("SettingChanged")
        center.post(name: name, object: nil)
    }
}
