// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
@_spi(Engine) internal import SwitchyardCore

/// The default names of message types.
enum DistributedTypeName {
    /// The names by type, so that each is made once.
    private static let known = Guarded<[ObjectIdentifier: Notification.Name]>([:])

    static func of(_ type: Any.Type) -> Notification.Name {
        known.withLock { known in
            let key = ObjectIdentifier(type)
            if let name = known[key] { return name }
            let name = Notification.Name(TypeName.of(type))
            known[key] = name
            return name
        }
    }
}
