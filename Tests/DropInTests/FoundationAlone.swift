// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// Code that was written for Apple's documentation, in a file that imports Foundation alone. The
// alias of its module makes it mean Switchyard's center.
import Foundation

extension Notification.Name {
    static let converterAdded = Notification.Name("converterAdded")
}

final class Converter: NSObject, @unchecked Sendable {
    // Sendable: a test uses it on one thread.
    private(set) var formats: [String] = []
    private var observer: (any NSObjectProtocol)?
    private let center: NotificationCenter

    init(center: NotificationCenter = .default) {
        self.center = center
        super.init()
        observer = center.addObserver(forName: .converterAdded, object: nil, queue: nil) {
            [weak self] note in
            if let format = note.userInfo?["format"] as? String { self?.formats.append(format) }
        }
    }

    deinit {
        if let observer { center.removeObserver(observer) }
    }

    func announce(_ format: String) {
        center.post(name: .converterAdded, object: self, userInfo: ["format": format])
    }

    /// Announces the last of several formats, when the run loop has the time.
    func announceLater(_ formats: [String]) {
        let queue = NotificationQueue(notificationCenter: center)
        for format in formats {
            queue.enqueue(
                Notification(name: .converterAdded, object: self, userInfo: ["format": format]),
                postingStyle: .asap, coalesceMask: [.onName, .onSender],
                forModes: [RunLoop.Mode.default])
        }
    }

    static func makeCenter() -> NotificationCenter { NotificationCenter() }
}
