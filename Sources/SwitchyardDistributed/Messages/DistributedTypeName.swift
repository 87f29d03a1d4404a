// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
@_spi(Engine) internal import SwitchyardCore

/// The default names of message types.
enum DistributedTypeName {
    /// The names by type, so that each is made once.
    private static let known: Guarded<[ObjectIdentifier: Notification.Name]> = {
        let known = Guarded<[ObjectIdentifier: Notification.Name]>([:])
        // A forked child posts messages as well.
        known.holdAcrossForks()
        return known
    }()

    /// Makes the locks of names, and of the coding of messages.
    static func prepareForForks() {
        _ = known
        DictionaryShape.prepareForForks()
    }

    static func of(_ type: Any.Type) -> Notification.Name {
        let key = ObjectIdentifier(type)
        if let name = known.withLock({ $0[key] }) { return name }
        // Made without the lock, because other names have one of their own.
        let name = Notification.Name(TypeName.of(type))
        known.withLock { $0[key] = name }
        return name
    }
}
