// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// Where an engine hands over what comes from one sender, if its bytes stay where they are meanwhile: they
/// are copied only for who keeps them. For one thread, always the same.
package struct SenderIntake {
    package let sender: DistributedPeer
    private let intake: DistributedIntake
    private var message: ReceivedMessage

    package init(_ sender: DistributedPeer, _ intake: DistributedIntake) {
        self.sender = sender
        self.intake = intake
        message = ReceivedMessage(
            sender: sender, ReceivedTopic(name: "", object: nil), intake)
    }

    /// Delivers a notification; see ``DistributedIntake/receive(_:)``.
    package mutating func receive(
        _ bytes: UnsafeRawBufferPointer, _ kind: PayloadKind, _ topic: Unmanaged<ReceivedTopic>,
        sequence: UInt64, isImmediate: Bool
    ) {
        message.lend(bytes, kind, topic, sequence: sequence, isImmediate: isImmediate)
        intake.deliver(lent: &message, topic)
    }
}
