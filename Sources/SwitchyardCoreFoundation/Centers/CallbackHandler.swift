// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if !canImport(Darwin)
internal import Foundation
@_spi(Engine) internal import Switchyard
@_spi(Engine) internal import SwitchyardCore

/// A C function that is called with notifications: CoreFoundation's `CFNotificationCallback`.
typealias Callback =
    @convention(c) (
        _ center: UnsafeMutableRawPointer?, _ observer: UnsafeMutableRawPointer?,
        _ name: UnsafeRawPointer?, _ object: UnsafeRawPointer?, _ userInfo: UnsafeRawPointer?
    ) -> Void

/// A handler that calls a C function.
final class CallbackHandler: AnyNamedHandler {
    private let function: Callback
    /// The observer, a pointer of the caller's that is passed on and never followed.
    private let observer: UnsafeRawPointer?
    private let center: CenterObject
    /// The object that notifications must have; nil for any. Only its address counts. The engine does not
    /// match it, because that would count references to it, and C code may pass a pointer to anything.
    private let object: UnsafeRawPointer?

    init(
        _ function: @escaping Callback, _ observer: UnsafeRawPointer?, _ center: CenterObject,
        onlyFor object: UnsafeRawPointer? = nil
    ) {
        self.function = function
        self.observer = observer
        self.center = center
        self.object = object
    }

    override func deliver(_ payload: NamedPayload) -> DeliveryOutcome {
        if let post = payload.message as? PointerMessage {
            guard object == nil || object == post.object else { return .watched }
            call(post.name, post.object, post.userInfo)
            return .delivered
        }
        let notification = payload.notification
        let object = notification.object.map { bridgedObject($0) }
        let address = object.map { UnsafeRawPointer(Unmanaged.passUnretained($0).toOpaque()) }
        guard self.object == nil || self.object == address else { return .watched }
        let name = NSString(string: notification.name.rawValue)
        let userInfo = notification.userInfo.map { NSDictionary(dictionary: $0) }
        withExtendedLifetime((object, name, userInfo)) {
            call(
                Unmanaged.passUnretained(name).toOpaque(), address,
                userInfo.map { UnsafeRawPointer(Unmanaged.passUnretained($0).toOpaque()) })
        }
        return .delivered
    }

    private func call(
        _ name: UnsafeRawPointer, _ object: UnsafeRawPointer?, _ userInfo: UnsafeRawPointer?
    ) {
        function(
            center.pointer, UnsafeMutableRawPointer(mutating: observer), name, object, userInfo)
    }
}
#endif
