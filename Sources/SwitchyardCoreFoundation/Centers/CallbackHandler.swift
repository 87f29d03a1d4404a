// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if !canImport(Darwin)
internal import Foundation
@_spi(Engine) internal import Switchyard
@_spi(Engine) internal import SwitchyardCore

/// A handler that calls a C function.
final class CallbackHandler: AnyNamedHandler {
    // The handler does not hold the registration's token, which holds the handler.
    private let registration: Registration
    private let center: CenterObject
    /// The object that notifications must have; nil for any. Only its address counts. The engine
    /// does not match it, because that would count references to it, and C code may pass a pointer
    /// to anything.
    private let object: UnsafeRawPointer?

    init(
        _ registration: Registration, _ center: CenterObject,
        onlyFor object: UnsafeRawPointer? = nil
    ) {
        self.registration = registration
        self.center = center
        self.object = object
    }

    override var inWords: String { "a C function" }

    override var role: HandlerRole { .other }

    override func deliver(_ payload: NamedPayload) -> DeliveryOutcome {
        if let post = payload.message as? PointerMessage {
            guard object == nil || object == post.object else { return .uncounted }
            return call(post.name, post.object, post.userInfo)
        }
        let notification = payload.notification
        let object = notification.object.map { bridgedObject($0) }
        let address = object.map { UnsafeRawPointer(Unmanaged.passUnretained($0).toOpaque()) }
        guard self.object == nil || self.object == address else { return .uncounted }
        let name = NSString(string: notification.name.rawValue)
        let userInfo = notification.userInfo.map { NSDictionary(dictionary: $0) }
        return withExtendedLifetime((object, name, userInfo)) {
            call(
                Unmanaged.passUnretained(name).toOpaque(), address,
                userInfo.map { UnsafeRawPointer(Unmanaged.passUnretained($0).toOpaque()) })
        }
    }

    /// Calls the C function. The observer goes to it as it was passed: a pointer that is never
    /// dereferenced here.
    private func call(
        _ name: UnsafeRawPointer, _ object: UnsafeRawPointer?, _ userInfo: UnsafeRawPointer?
    ) -> DeliveryOutcome {
        // The check comes as late as can be: the observer may be freed once a removal has returned.
        guard registration.isCallable else { return .uncounted }
        registration.request.callback(
            center.pointer, UnsafeMutableRawPointer(mutating: registration.request.observer), name,
            object, userInfo)
        return .delivered
    }
}
#endif
