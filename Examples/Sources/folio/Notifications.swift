// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import Switchyard

extension Notification.Name {
    /// A setting has another value. Posted on main.
    static let settingsChanged = Notification.Name("SettingsChanged")
}

/// A page of a document has another text. Posted on main.
struct PageEdited: NotificationMessage {
    typealias Subject = Document
    let page: Int
}

/// A document has another title. Posted on main.
struct TitleChanged: NotificationMessage {
    typealias Subject = Document
    let title: String
}

/// A page's thumbnail was made. Posted on a worker's thread.
struct ThumbnailReady: NotificationMessage {
    let page: Int
}

/// The document was written to disk. Posted on the saver's thread.
struct Saved: NotificationMessage {
    let at: Date
}
