// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

@_spi(Engine) internal import SwitchyardCore
internal import SwitchyardWire

/// A transport that sends a notification from its parts.
///
/// A post calls a subclass directly. Without one, it makes an ``OutgoingNotification``, and calls
/// the transport through its protocol, which takes longer.
class DirectSender: @unchecked Sendable {
    // Sendable: nothing is stored here; the subclass answers for itself.

    /// Sends a notification, given in parts, as ``DistributedTransport/send(_:)`` sends it in one
    /// value.
    func send(
        _ topic: Topic, _ object: String?, _ kind: PayloadKind, _ payload: UnsafeRawBufferPointer,
        isImmediate: Bool
    ) -> DistributedSendResult {
        preconditionFailure("a subclass of DirectSender overrides \(#function)")
    }

    /// Whether a notification may go to another process now. One of which this is false goes to
    /// none, unless a process begins to observe it at this moment.
    func mayBeHeard(_ topic: Topic, _ object: String?) -> Bool {
        preconditionFailure("a subclass of DirectSender overrides \(#function)")
    }
}
