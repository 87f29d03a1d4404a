// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

@_spi(Engine) internal import Switchyard
@_spi(Engine) internal import SwitchyardCore
internal import SwitchyardWire

// Posts of encoded payloads: their short way.
extension DistributedInterceptor {
    /// Sends the bytes of a payload that is neither followed nor traced, before it is delivered here as any post
    /// of this process is: most posts. What such a post consists of is borrowed all the way.
    ///
    /// - Returns: nil if the post has to go through
    ///   ``sendThenDeliver(_:through:here:orKeep:)``; nothing was sent then.
    @inline(__always)
    func sendAlone(
        _ topic: Topic, _ object: String?, _ kind: PayloadKind, _ bytes: UnsafeRawBufferPointer,
        isImmediate: Bool, through engine: NotificationEngine
    ) -> DistributedSendResult? {
        guard let sender, !engine.isFollowed, !engine.isTraced, !sharesGroups, !isSuspended,
            OutgoingPost.canSend(topic, object)
        else { return nil }
        return sender._withUnsafeGuaranteedRef {
            $0.send(topic, object, kind, bytes, isImmediate: isImmediate)
        }
    }

    /// Delivers a post that ``sendAlone(_:_:_:_:isImmediate:through:)`` has sent, if it is now to be
    /// held, or if its observers are now chosen: a hook may have suspended the center meanwhile.
    ///
    /// - Returns: nil if all observers here hear it at once.
    @inline(__always)
    func deliverElsewhere(
        _ makePost: () -> OutgoingPost, through engine: NotificationEngine,
        isHeardElsewhere: Bool, orKeep makePayload: () -> NamedPayload
    ) -> PostReceipt? {
        if !sharesGroups, !isSuspended { return nil }
        let post = makePost()
        let choice = sharesGroups ? choose(post, [:]) : nil
        if isSuspended {
            return hold(makePayload(), of: post, choice, engine, isHeardElsewhere: isHeardElsewhere)
        }
        return choice.map { deliverShared(makePayload(), of: post, $0, engine) }
    }
}

extension PostReceipt {
    /// Creates the receipt of a post that went to other processes as well as to observers here.
    @inline(__always)
    init(_ sent: DistributedSendResult, and here: PostReceipt) {
        self = here.adding(queued: sent.sent, dropped: sent.dropped)
    }
}
