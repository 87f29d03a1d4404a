// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

package import Foundation
@_spi(Engine) internal import SwitchyardCore

/// The conversion between messages of a type and notifications of its name.
package struct NamedConversion<Message> {
    package let name: Notification.Name
    /// Whether both conversions may be asked for on the main actor only.
    var isForMainActor = false
    /// Makes the message of a notification; nil, or an error, if it stands for none.
    let makeMessage: (Notification) throws -> Message?
    let makeNotification: (Message) -> Notification
    /// Reads a message that came from elsewhere, without a notification in between. Nil from it has
    /// the message made of the notification.
    var readMessage: ((NamedMessage) throws -> Message?)?

    package init(
        name: Notification.Name, isForMainActor: Bool = false,
        readMessage: ((NamedMessage) throws -> Message?)? = nil,
        makeMessage: @escaping (Notification) throws -> Message?,
        makeNotification: @escaping (Message) -> Notification
    ) {
        self.readMessage = readMessage
        self.name = name
        self.isForMainActor = isForMainActor
        self.makeMessage = makeMessage
        self.makeNotification = makeNotification
    }
}

extension NamedConversion {
    /// The message that a payload carries, or stands for.
    ///
    /// - Throws: ``DeliverySkipped`` if there is none, or the error of the message's type.
    func message(of payload: NamedPayload) throws -> Message {
        if let posted = payload.message {
            if let readMessage, let message = try readMessage(posted) { return message }
            if let message = posted.message(as: Message.self) { return message }
        }
        guard let message = try makeMessage(payload.notification) else {
            throw DeliverySkipped(
                DeliveryProblem(
                    .notConvertible,
                    "\(Message.self).makeMessage returned nil for a notification named "
                        + "\"\(name.rawValue)\", so its observers did not get it; if "
                        + "that is not meant, implement makeMessage for this notification",
                    topic: "\"\(name.rawValue)\""))
        }
        return message
    }
}
