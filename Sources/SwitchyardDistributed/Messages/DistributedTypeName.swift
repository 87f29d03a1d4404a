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
            let name = Notification.Name(asWritten(_typeName(type, qualified: true)))
            known[key] = name
            return name
        }
    }

    /// Returns a type's name without the parts that the runtime adds for types that are private or in
    /// functions. Such a part is an address, which differs between processes, or a number that depends on the
    /// file.
    static func asWritten(_ name: String) -> String {
        name.replacing(/\(unknown context at \$[0-9a-f]+\)\./, with: "")
            .replacing(/\(([^ ()]+) in _[0-9A-F]+\)/) { $0.1 }
    }
}
