// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if !canImport(Darwin)
internal import Foundation
@_spi(Engine) internal import Switchyard
@_spi(Engine) internal import SwitchyardCore
internal import SwitchyardDistributed

/// The center of the user's processes: `DistributedNotificationCenter.default()`. Callbacks run on
/// the main run loop, also for this process's own posts. Objects are CFStrings.
final class DistributedCenter: CoreCenter, @unchecked Sendable {
    // Sendable: it adds nothing.

    override func observe(_ registration: Registration) -> (any Sendable)? {
        let request = registration.request
        let behavior =
            DistributedNotificationCenter.SuspensionBehavior(
                rawValue: UInt(bitPattern: request.suspensionBehavior)) ?? .coalesce
        return DistributedNotificationCenter.default().observe(
            request.name.map { Notification.Name($0) }, of: string(at: request.object), in: .main,
            options: .whenSuspended(behavior),
            origin: RegistrationSite("CFNotificationCenterAddObserver", 0),
            with: CallbackHandler(registration, object))
    }

    override func post(
        _ name: UnsafeRawPointer, _ object: UnsafeRawPointer?, _ userInfo: UnsafeRawPointer?,
        _ options: PostOptions
    ) {
        guard let name = string(at: name) else { return }
        DistributedNotificationCenter.default().postNotificationName(
            Notification.Name(name), object: string(at: object), userInfo: dictionary(at: userInfo),
            deliverImmediately: options.contains(.deliverImmediately))
    }

    override func identity(of object: UnsafeRawPointer?) -> Registration.ObjectIdentity {
        string(at: object).map { .string($0) } ?? .any
    }
}
#endif
