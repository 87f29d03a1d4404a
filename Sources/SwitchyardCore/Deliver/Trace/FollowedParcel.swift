// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// A parcel whose handler is called by a ``FollowedPost``.
final class FollowedParcel: AnyParcel, @unchecked Sendable {
    // Sendable: as its superclass; constant.
    private let parcel: AnyParcel
    private let post: FollowedPost

    init(_ parcel: AnyParcel, by post: FollowedPost) {
        self.parcel = parcel
        self.post = post
        super.init(objectIsGone: parcel.objectIsGone)
    }

    override func deliver(to handler: Unmanaged<_AnyDeliveryHandler>) throws -> DeliveryOutcome {
        try post.queued { try parcel.deliver(to: handler) }
    }

    override func work(for handler: Unmanaged<_AnyDeliveryHandler>) throws -> AsyncWork {
        let work = try parcel.work(for: handler)
        return { [post] in try await post.queued(async: work) }
    }

    override func key(
        _ key: DeliveryKey, for handler: Unmanaged<_AnyDeliveryHandler>
    ) -> AnyHashable? {
        parcel.key(key, for: handler)
    }

    override func admits(
        _ filter: DeliveryFilter, for handler: Unmanaged<_AnyDeliveryHandler>
    ) -> Bool {
        parcel.admits(filter, for: handler)
    }

    override func mailboxIsEnding() -> Int { parcel.mailboxIsEnding() }

    override func mailboxEnded(_ label: String) -> Bool { parcel.mailboxEnded(label) }

    override func wasNotQueued() { parcel.wasNotQueued() }

    override func wasDisplaced() { parcel.wasDisplaced() }

    override func observationEnded() { parcel.observationEnded() }

    override func observerDied() { parcel.observerDied() }

    override func wasDiscarded() { parcel.wasDiscarded() }

    override var isDiscarded: Bool { parcel.isDiscarded }
}
