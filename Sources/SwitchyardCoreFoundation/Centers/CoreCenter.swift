// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if !canImport(Darwin)
internal import Foundation
@_spi(Engine) internal import Switchyard
@_spi(Engine) internal import SwitchyardCore

/// A center as C code knows it: one of the three that CoreFoundation has, with the registrations of C
/// functions. Each has a subclass, which observes and posts on a center of Switchyard's.
class CoreCenter: @unchecked Sendable {
    // Sendable: constant but for `registrations`, which has a lock. Subclasses add constants alone.

    /// The object that stands for the center in C.
    let object = CenterObject()
    /// The registrations of each observer, by its address; zero for those without an observer.
    private let registrations = Guarded<[UInt: [Registration]]>([:])

    // MARK: - For subclasses

    /// Has `callback` called until the token goes.
    ///
    /// - Returns: The token; nil if the request can't be met, which is then reported.
    func observe(
        _ request: Request, _ callback: @escaping Callback
    ) -> (any Sendable)? {
        preconditionFailure("a subclass overrides observe(_:_:)")
    }

    /// Posts a notification. The pointers are those of the C call.
    func post(
        _ name: UnsafeRawPointer, _ object: UnsafeRawPointer?, _ userInfo: UnsafeRawPointer?,
        _ options: PostOptions
    ) {
        preconditionFailure("a subclass overrides post(_:_:_:_:)")
    }

    /// Returns the value by which the center compares a notification's object.
    func identity(of object: UnsafeRawPointer?) -> ObjectIdentity {
        preconditionFailure("a subclass overrides identity(of:)")
    }

    // MARK: - For C

    func add(_ request: Request, _ callback: @escaping Callback) {
        let observer = UInt(bitPattern: request.observer)
        let registration = Registration(name: request.name, object: identity(of: request.object))
        // Before the observation: the callback may be called, and remove the observer, while
        // `observe` has not returned.
        registrations.withLock { $0[observer, default: []].append(registration) }
        let token = observe(request, callback)
        registrations.withLock { all in
            guard let index = all[observer]?.firstIndex(where: { $0 === registration }) else {
                return
            }
            registration.token = token
            guard token == nil else { return }
            all[observer]?.remove(at: index)
            if all[observer]?.isEmpty == true { all[observer] = nil }
        }
        // The token of a registration that was removed meanwhile ends here, outside the lock.
        withExtendedLifetime(token) {}
    }

    func remove(
        _ observer: UnsafeRawPointer, name: String? = nil, object: UnsafeRawPointer? = nil
    ) {
        let (observer, object) = (UInt(bitPattern: observer), identity(of: object))
        // Tokens end outside the lock: the end of an observation may run the user's code.
        let removed = registrations.withLock { all -> [Registration] in
            let own = all[observer] ?? []
            let remaining = own.filter { !$0.isFor(name, object) }
            all[observer] = remaining.isEmpty ? nil : remaining
            return own.filter { $0.isFor(name, object) }
        }
        withExtendedLifetime(removed) {}
    }
}

extension CoreCenter {
    /// The arguments of a registration.
    struct Request: @unchecked Sendable {
        // Sendable: pointers of the caller's, which are passed on and compared.
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

    /// The options of a post, with CoreFoundation's bits.
    struct PostOptions: OptionSet {
        let rawValue: UInt
        static let deliverImmediately = PostOptions(rawValue: 1)
    }

    /// A registered C function.
    private final class Registration: @unchecked Sendable {
        // Sendable: constant but for `token`, whose guard is the lock of `registrations`.
        let name: String?
        let object: ObjectIdentity
        /// Ends the observation when it goes; nil until there is one.
        var token: (any Sendable)?

        init(name: String?, object: ObjectIdentity) {
            self.name = name
            self.object = object
        }

        /// Returns whether a removal for a name and an object, nil and `.any` for all, means this one.
        func isFor(_ name: String?, _ object: ObjectIdentity) -> Bool {
            (name == nil || name == self.name) && (object == .any || object == self.object)
        }
    }
}
#endif
