// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
internal import Foundation
@_spi(Engine) internal import SwitchyardCore

/// A notification that the calling thread is handing from our center to Foundation's, where the
/// bridge hears it again and has to let it pass: once, and only where it came from. A link of a
/// chain on the thread's stack, innermost first: Foundation calls its observers within the post.
///
/// An observer there may post under the same name about the same object, and Foundation may call it
/// before the bridge. So a notification is taken for the one that came back only with the very same
/// `userInfo`; of two that are alike in all of this, it makes no difference which is let pass. It
/// does where an observer there has had the bridge hear the name: Foundation does not call it for
/// the post under way.
struct OutboundPost {
    private let name: Notification.Name
    private let subject: Subject
    private let userInfo: UInt?
    private let origin: ObjectIdentifier
    /// Whether the bridge heard the name when the post began.
    private let wasHeard: Bool
    private var hasComeBack = false

    private init(_ notification: Notification, _ origin: NotificationEngine, _ wasHeard: Bool) {
        name = notification.name
        subject = Subject(optional: notification.object)
        userInfo = Self.identity(of: notification.userInfo)
        self.origin = ObjectIdentifier(origin)
        self.wasHeard = wasHeard
    }

    /// Calls `post`, which hands `notification` to Foundation's center.
    ///
    /// - Parameter isHeard: whether the bridge hears the name at the moment.
    static func whileOut(
        _ notification: Notification, from origin: NotificationEngine, isHeard: Bool,
        _ post: () -> Void
    ) {
        let outer = switchyard_get_thread_outbound()
        var outbound = OutboundPost(notification, origin, isHeard)
        withUnsafeMutablePointer(to: &outbound) { outbound in
            switchyard_set_thread_outbound(outbound)
            post()
            switchyard_set_thread_outbound(outer)
        }
    }

    /// Whether `notification`, which the bridge hears, is the one that the calling thread is
    /// handing out, come back to where it was posted.
    ///
    /// - Parameter thread: the thread on which the bridge began to hear the name.
    static func hasComeBack(
        _ notification: Notification, to engine: NotificationEngine, bridgedBy thread: UInt
    ) -> Bool {
        guard
            let outbound = switchyard_get_thread_outbound()?
                .assumingMemoryBound(to: OutboundPost.self)
        else { return false }
        // This thread did so inside the post.
        if !outbound.pointee.wasHeard, thread == switchyard_thread_token() { return false }
        return outbound.pointee.hasComeBack(notification, to: engine)
    }

    private mutating func hasComeBack(
        _ notification: Notification, to engine: NotificationEngine
    ) -> Bool {
        guard !hasComeBack, origin == ObjectIdentifier(engine), name == notification.name,
            userInfo == Self.identity(of: notification.userInfo),
            subject == Subject(optional: notification.object)
        else { return false }
        hasComeBack = true
        return true
    }

    /// The address of the dictionary's storage, which is one pointer.
    private static func identity(of userInfo: [AnyHashable: Any]?) -> UInt? {
        userInfo.map { unsafeBitCast($0, to: UInt.self) }
    }
}
