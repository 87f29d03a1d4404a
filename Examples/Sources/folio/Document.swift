// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Switchyard

/// A document with some pages.
@MainActor
final class Document {
    static let pages = 12

    private(set) var title: String
    private var edits = 0

    init(title: String) { self.title = title }

    func rename(to title: String, in center: NotificationCenter) {
        self.title = title
        center.post(TitleChanged(title: title), subject: self)
    }

    /// Changes the next page, as somebody who types does.
    func edit(in center: NotificationCenter) {
        edits += 1
        center.post(PageEdited(page: edits % Self.pages), subject: self)
    }
}
