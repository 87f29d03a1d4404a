// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The center of the process, with its bridge to Foundation's.
enum DefaultCenter {
    static let shared: NotificationCenter = {
        let center = NotificationCenter()
        FoundationBridge.connect(center)
        return center
    }()
}
