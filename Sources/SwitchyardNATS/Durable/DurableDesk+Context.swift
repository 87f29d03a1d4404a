// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
@_spi(Engine) internal import SwitchyardCore
internal import SwitchyardDistributed

// The context that a notification took along, such as the identifiers of a trace.
extension DurableDesk {
    /// Calls the handler of a notification, by `call`, in the context of the notification, if its
    /// center is followed.
    func following(
        _ message: DurableMessage, _ notification: DurableNotification, _ call: () throws -> Void
    ) throws {
        guard let followed = follower(of: message, notification) else { return try call() }
        defer { followed.end() }
        _ = try followed.queued {
            try call()
            return .delivered
        }
    }

    /// Calls the async handler of a notification, by `call`, in the context of the notification, if
    /// its center is followed.
    func following(
        async message: DurableMessage, _ notification: DurableNotification,
        _ call: @Sendable () async throws -> Void
    ) async throws {
        guard let followed = follower(of: message, notification) else { return try await call() }
        defer { followed.end() }
        _ = try await followed.queued(async: {
            try await call()
            return .delivered
        })
    }

    private func follower(
        of message: DurableMessage, _ notification: DurableNotification
    ) -> FollowedPost? {
        guard let intake = transport?.intake, intake.isFollowed else { return nil }
        let context = message.context
        // A notification that took nothing along has a span where every handler has one.
        guard context != nil || intake.followsAll else { return nil }
        var followed: FollowedPost?
        intake.bringing(context) { followed = intake.beginFollowing(notification.name.rawValue) }
        return followed
    }
}
#endif
