// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

@_spi(Engine) internal import Switchyard

/// A message that is encoded, and is decoded for each observer of a type.
class EncodedMessage: NamedMessage, @unchecked Sendable {
    // Sendable: as its superclass.

    /// Returns the message as one of that type; nil if it has to be made of the notification.
    func read<Message: DistributedMessage>(as type: Message.Type) throws -> Message? {
        preconditionFailure("an EncodedMessage subclass overrides read(as:)")
    }
}
