// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if !canImport(Darwin)
internal import Foundation
@_spi(Engine) internal import Switchyard
@_spi(Engine) internal import SwitchyardCore

/// A center as C code knows it: one of the three that CoreFoundation has, with the registrations of
/// C functions. Each has a subclass, which observes and posts on a center of Switchyard's.
class CoreCenter: @unchecked Sendable {
    // Sendable: constant but for `registrations`, which has a lock. Subclasses add constants alone.

    /// The object that stands for the center in C.
    let object = CenterObject()
    /// The registrations of one observer for one name, or for all, by their identities.
    private typealias Entries = [ObjectIdentifier: Entry]

    /// The registrations of each observer, by its address, zero for those without an observer, and
    /// then by name: an observer may have very many, and removes them name by name.
    private let registrations = Guarded<[UInt: [String?: Entries]]>([:])

    // MARK: - For subclasses

    /// Has a C function called until the token goes.
    ///
    /// - Returns: The token; nil if the request can't be met, which is then reported.
    func observe(_ registration: Registration) -> (any Sendable)? {
        preconditionFailure("a subclass overrides observe(_:)")
    }

    /// Posts a notification. The pointers are those of the C call.
    func post(
        _ name: UnsafeRawPointer, _ object: UnsafeRawPointer?, _ userInfo: UnsafeRawPointer?,
        _ options: PostOptions
    ) {
        preconditionFailure("a subclass overrides post(_:_:_:_:)")
    }

    /// Returns the value by which the center compares a notification's object.
    func identity(of object: UnsafeRawPointer?) -> Registration.ObjectIdentity {
        preconditionFailure("a subclass overrides identity(of:)")
    }

    // MARK: - For C

    func add(_ request: Registration.Request) {
        let observer = UInt(bitPattern: request.observer)
        let registration = Registration(request, identity(of: request.object))
        // Before the observation: the callback may be called, and remove the observer, while
        // `observe` has not returned.
        let (entry, name) = (Entry(registration: registration), request.name)
        let id = ObjectIdentifier(registration)
        registrations.withLock { $0[observer, default: [:]][name, default: [:]][id] = entry }
        let token = observe(registration)
        registrations.withLock { all in
            guard all[observer]?[name]?[id] != nil else { return }
            all[observer]?[name]?[id]?.token = token
            guard token == nil else { return }
            all[observer]?[name]?[id] = nil
            if all[observer]?[name]?.isEmpty == true { all[observer]?[name] = nil }
            if all[observer]?.isEmpty == true { all[observer] = nil }
        }
        // The token of a registration that was removed meanwhile ends here, outside the lock.
        // The identity is the registration's for as long as that lives.
        withExtendedLifetime((token, registration)) {}
    }

    func remove(
        _ observer: UnsafeRawPointer, name: String? = nil, object: UnsafeRawPointer? = nil
    ) {
        let (observer, object) = (UInt(bitPattern: observer), identity(of: object))
        // Tokens end outside the lock: the end of an observation may run the user's code.
        let removed = registrations.withLock { all -> [Entry] in
            var removed: [Entry] = []
            var names: [String?] = [name]
            if name == nil { names = all[observer].map { Array($0.keys) } ?? [] }
            for name in names {
                let entries = (all[observer]?[name] ?? [:]).filter {
                    $0.value.registration.isFor(name, object)
                }
                for (id, entry) in entries {
                    removed.append(entry)
                    all[observer]?[name]?[id] = nil
                }
                if all[observer]?[name]?.isEmpty == true { all[observer]?[name] = nil }
            }
            if all[observer]?.isEmpty == true { all[observer] = nil }
            // Under the lock: another removal of the same registrations may find none and return
            // before their tokens have ended, and its caller may then free the observer.
            for entry in removed { entry.registration.end() }
            return removed
        }
        withExtendedLifetime(removed) {}
    }

    /// A registration, with the token that ends its observation when it goes; nil until there is
    /// one.
    private struct Entry: Sendable {
        let registration: Registration
        var token: (any Sendable)?
    }
}

extension CoreCenter {
    /// The options of a post, with CoreFoundation's bits.
    struct PostOptions: OptionSet {
        let rawValue: UInt
        static let deliverImmediately = PostOptions(rawValue: 1)
    }
}
#endif
