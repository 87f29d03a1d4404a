// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if !canImport(Darwin)
internal import Foundation
@_spi(Engine) internal import Switchyard
@_spi(Engine) internal import SwitchyardCore

/// The center of the process: `NotificationCenter.default`. Callbacks run on the posting thread.
final class LocalCenter: CoreCenter, @unchecked Sendable {
    // Sendable: it adds nothing.

    override func observe(_ registration: Registration) -> (any Sendable)? {
        let request = registration.request
        return NotificationCenter.default.observe(
            request.name.map { Notification.Name($0) }, of: nil, in: nil, options: .standard,
            origin: RegistrationSite("CFNotificationCenterAddObserver", 0),
            with: CallbackHandler(registration, object, onlyFor: request.object))
    }

    override func post(
        _ name: UnsafeRawPointer, _ object: UnsafeRawPointer?, _ userInfo: UnsafeRawPointer?,
        _ options: PostOptions
    ) {
        guard let text = string(at: name) else { return }
        let subject = object.map { Subject(instanceAt: UInt(bitPattern: $0)) } ?? Subject.none
        NotificationCenter.default.post(
            PointerMessage(name: name, object: object, userInfo: userInfo),
            named: Notification.Name(text), about: subject)
    }

    override func identity(of object: UnsafeRawPointer?) -> Registration.ObjectIdentity {
        object.map { .address(UInt(bitPattern: $0)) } ?? .any
    }
}
#endif
