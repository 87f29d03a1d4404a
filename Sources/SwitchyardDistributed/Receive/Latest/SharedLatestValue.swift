// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

@_spi(Engine) internal import Switchyard
@_spi(Engine) internal import SwitchyardCore

/// The latest notification of a name and object, as this process knows it: posted here, or by another process while
/// something here observed it.
final class SharedLatestValue: RetainedValue<NamedPayload>, @unchecked Sendable {
    // Sendable: constant, but for `sending`, which has its guard.

    /// The stage of a post of this process, for processes that ask for the value.
    private struct Sending: Sendable {
        var isOver = false
        /// The processes that have asked meanwhile.
        var askers: [String] = []
    }

    let name: String
    let object: String?
    /// The time of the post (``LatestClock``).
    let time: UInt64
    /// The encoded payload, for processes that ask for it; nil if another process has posted it, and answers.
    let ownPayload: DistributedPayload?
    private let sending = Guarded(Sending())

    init(
        _ payload: NamedPayload, _ name: String, _ object: String?, at time: UInt64,
        own: DistributedPayload? = nil
    ) {
        self.name = name
        self.object = object
        self.time = time
        ownPayload = own
        super.init(payload.detached(objectIsGone: false))
    }

    var topic: Topic { .name(name) }
    var subject: Subject { Subject(optional: object) }

    override func isLater(than other: AnyRetainedValue) -> Bool {
        // All values of a distributed center are of this class.
        unsafeDowncast(other, to: SharedLatestValue.self).time < time
    }

    // MARK: - Processes that ask

    /// Whether `asker` can be sent the value now. If not, because the post is being sent, the posting thread sends it
    /// afterwards: behind the post, so that a process that hears the post finds that it knows the value.
    func isReady(for asker: String) -> Bool {
        sending.withLock { sending in
            if !sending.isOver { sending.askers.append(asker) }
            return sending.isOver
        }
    }

    /// Ends the post.
    ///
    /// - Returns: The processes that have asked meanwhile.
    func wasSent() -> [String] {
        sending.withLock { sending in
            sending.isOver = true
            defer { sending.askers = [] }
            return sending.askers
        }
    }
}
