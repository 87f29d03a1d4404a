// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

@_spi(Engine) internal import Switchyard
@_spi(Engine) internal import SwitchyardCore

/// The latest value of a name and object, as this process knows it.
final class SharedLatestValue: RetainedValue<NamedPayload>, @unchecked Sendable {
    // Sendable: constant, and unchecked only as its superclass.

    enum Origin: Sendable {
        /// Posted here. The encoded payload is for processes that ask.
        case own(DistributedPayload)
        /// Posted by another process, which answers those that ask.
        case other
        /// None: the value has ended, and nothing that is older may come back.
        case ended
    }

    let topic: ReceivedTopic
    let stamp: LatestStamp
    let origin: Origin

    /// A value that was posted here.
    init(
        _ payload: NamedPayload, own: DistributedPayload, _ topic: ReceivedTopic,
        _ stamp: LatestStamp
    ) {
        (self.topic, self.stamp, origin) = (topic, stamp, .own(own))
        super.init(payload.detached(objectIsGone: false))
    }

    /// A value that another process has posted.
    init(_ payload: NamedPayload, _ topic: ReceivedTopic, _ stamp: LatestStamp) {
        (self.topic, self.stamp, origin) = (topic, stamp, .other)
        super.init(payload.detached(objectIsGone: false))
    }

    /// The end of earlier values.
    init(endOf topic: ReceivedTopic, _ stamp: LatestStamp) {
        (self.topic, self.stamp, origin) = (topic, stamp, .ended)
        super.init(nil)
    }

    override func isLater(than other: AnyRetainedValue) -> Bool {
        // All values of a distributed center are of this class.
        let other = unsafeDowncast(other, to: SharedLatestValue.self)
        // A wall clock that was ahead when that one was posted has been set right since.
        if LatestClock.isMistaken(other.stamp.time) { return true }
        // An end is one of values before its stamp: the value with that stamp, which has caused the
        // end, is later.
        return (other.stamp, other.hasEnded ? 0 : 1) < (stamp, hasEnded ? 0 : 1)
    }

    /// Whether this is the end of earlier values.
    var hasEnded: Bool {
        if case .ended = origin { true } else { false }
    }

    /// The encoded payload of a value that was posted here.
    var ownPayload: DistributedPayload? {
        if case .own(let payload) = origin { payload } else { nil }
    }

    /// Whether another process has posted the value.
    var isForeign: Bool {
        if case .other = origin { true } else { false }
    }
}
