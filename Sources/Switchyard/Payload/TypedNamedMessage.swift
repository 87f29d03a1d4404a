// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

package import Foundation
@_spi(Engine) internal import SwitchyardCore

/// A message that was posted here, as itself.
// Sendable: as its superclass; the added properties are constant.
package final class TypedNamedMessage<Message>: NamedMessage, @unchecked Sendable {
    package let message: Message
    private let subject: Any?
    private let conversion: NamedConversion<Message>

    package init(_ message: Message, _ subject: Any?, _ conversion: NamedConversion<Message>) {
        self.message = message
        self.subject = subject
        self.conversion = conversion
        super.init()
    }

    override package var isForMainActor: Bool { conversion.isForMainActor }

    override package var value: Any? { message }

    override package func makeNotification() -> Notification {
        var notification = conversion.makeNotification(message)
        notification.name = conversion.name
        notification.object = subject
        return notification
    }

    override package func withoutSubject() -> NamedMessage {
        TypedNamedMessage(message, nil, conversion)
    }

    override package func about(_ subject: AnyObject) -> NamedMessage {
        TypedNamedMessage(message, subject, conversion)
    }
}

extension NamedMessage {
    /// The message itself, if it is one of that type and was posted here.
    final func message<Message>(as type: Message.Type) -> Message? {
        (self as? TypedNamedMessage<Message>)?.message
    }
}
