// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
@_spi(Engine) internal import SwitchyardCore

/// The names that types of messages have unless they say otherwise.
enum DistributedTypeName {
    /// Found once for each type.
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

    /// Without what the runtime adds for types that are private or in functions: an address, which
    /// no two processes need have in common, or a number that the file's place decides.
    static func asWritten(_ name: String) -> String {
        name.replacing(/\(unknown context at \$[0-9a-f]+\)\./, with: "")
            .replacing(/\(([^ ()]+) in _[0-9A-F]+\)/) { $0.1 }
    }
}
