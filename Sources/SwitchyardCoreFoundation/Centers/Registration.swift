// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if !canImport(Darwin)
internal import Synchronization

/// A C function that is called with notifications: CoreFoundation's `CFNotificationCallback`.
typealias Callback =
    @convention(c) (
        _ center: UnsafeMutableRawPointer?, _ observer: UnsafeMutableRawPointer?,
        _ name: UnsafeRawPointer?, _ object: UnsafeRawPointer?, _ userInfo: UnsafeRawPointer?
    ) -> Void

/// A registered C function.
final class Registration: Sendable {
    let request: Request
    private let object: ObjectIdentity
    /// Set once, by the removal, under the lock of the center's registrations.
    private let hasEnded = Atomic<Bool>(false)

    init(_ request: Request, _ object: ObjectIdentity) {
        self.request = request
        self.object = object
    }

    /// Whether the function may be called: the registration has not been removed.
    var isCallable: Bool { !hasEnded.load(ordering: .acquiring) }

    /// The function is not called any more, although the observation may last a moment longer.
    func end() { hasEnded.store(true, ordering: .releasing) }

    /// Returns whether a removal for a name and an object, nil and `.any` for all, means this one.
    func isFor(_ name: String?, _ object: ObjectIdentity) -> Bool {
        (name == nil || name == request.name) && (object == .any || object == self.object)
    }
}

extension Registration {
    /// The arguments of the C call.
    struct Request: @unchecked Sendable {
        // Sendable: pointers of the caller's, which are passed on and compared.
        let callback: Callback
        let observer: UnsafeRawPointer?
        let name: String?
        let object: UnsafeRawPointer?
        let suspensionBehavior: Int
    }

    /// The object of a registration, as its center compares it.
    enum ObjectIdentity: Hashable, Sendable {
        case any
        case address(UInt)
        case string(String)
    }
}
#endif
