// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if !canImport(Darwin)
internal import Foundation
@_spi(Engine) internal import Switchyard
@_spi(Engine) internal import SwitchyardCore

/// A notification that C code posts: the pointers that it passed.
///
/// C observers get the same pointers, which are not followed. A notification is made of them only
/// when a Swift observer hears the post; the object must then be an instance of a Swift class or of
/// CoreFoundation, and the dictionary one of objects.
final class PointerMessage: NamedMessage, @unchecked Sendable {
    // Sendable: constant. The caller keeps what the pointers stand for until the post returns, and
    // the message waits nowhere.
    let name: UnsafeRawPointer
    let object: UnsafeRawPointer?
    let userInfo: UnsafeRawPointer?

    init(name: UnsafeRawPointer, object: UnsafeRawPointer?, userInfo: UnsafeRawPointer?) {
        self.name = name
        self.object = object
        self.userInfo = userInfo
    }

    override var convertsBeforeWaiting: Bool { true }

    override func makeNotification() -> Notification {
        Notification(
            name: Notification.Name(string(at: name) ?? ""),
            object: object.map { Unmanaged<AnyObject>.fromOpaque($0).takeUnretainedValue() },
            userInfo: dictionary(at: userInfo))
    }

    override func withoutSubject() -> NamedMessage {
        PointerMessage(name: name, object: nil, userInfo: userInfo)
    }
}
#endif
