// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// error: stored property 'document' of 'Sendable'-conforming struct 'Saved' has non-Sendable type
// Rule 21: a typed message is Sendable.
import Switchyard

final class Document {}
struct Saved: NotificationMessage {
    typealias Subject = Document
    let document: Document
}
