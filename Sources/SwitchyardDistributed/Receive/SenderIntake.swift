// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

package import SwitchyardWire

/// The receiver of notifications from one process, for transports whose bytes stay valid during the
/// call. The bytes are copied only for observers that keep them. Always to be used by the same
/// thread.
package struct SenderIntake {
    package let sender: DistributedPeer
    private let intake: DistributedIntake
    private var message: ReceivedMessage

    package init(_ sender: DistributedPeer, _ intake: DistributedIntake) {
        self.sender = sender
        self.intake = intake
        message = ReceivedMessage(
            sender: sender, ReceivedTopic(name: "", object: nil), intake.engine)
    }

    /// Delivers a notification, as ``DistributedIntake/receive(_:)`` does.
    package mutating func receive(
        _ bytes: UnsafeRawBufferPointer, _ kind: PayloadKind, _ topic: Unmanaged<ReceivedTopic>,
        sequence: UInt64, isImmediate: Bool
    ) {
        message.lend(bytes, kind, topic, sequence: sequence, isImmediate: isImmediate)
        intake.deliver(lent: &message, topic)
    }

    /// Delivers a notification that is kept for observers that come late.
    package func receive(
        _ payload: DistributedPayload, _ topic: ReceivedTopic, sequence: UInt64, isImmediate: Bool,
        keptAt time: UInt64?
    ) {
        intake.receive(
            payload, topic, from: sender, sequence: sequence, isImmediate: isImmediate, keptAt: time
        )
    }
}
