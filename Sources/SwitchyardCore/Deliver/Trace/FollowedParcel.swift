// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// A parcel whose handler is called by a ``FollowedPost``.
final class FollowedParcel: WrappedParcel, @unchecked Sendable {
    // Sendable: as its superclass; constant.
    private let post: FollowedPost

    init(_ parcel: AnyParcel, by post: FollowedPost) {
        self.post = post
        super.init(around: parcel)
    }

    override func callHandler(_ handler: Unmanaged<_AnyDeliveryHandler>) throws -> DeliveryOutcome {
        try post.queued { try parcel.callHandler(handler) }
    }

    override func work(for handler: Unmanaged<_AnyDeliveryHandler>) throws -> AsyncWork {
        let work = try parcel.work(for: handler)
        return { [post] in try await post.queued(async: work) }
    }
}
