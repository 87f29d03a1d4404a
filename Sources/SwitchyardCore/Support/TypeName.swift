// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The names of types for people.
package enum TypeName {
    /// Returns the full name of a type, such as `Module.Outer.Inner`, without the parts that the
    /// runtime adds for types that are private or in functions. Such a part is an address, which
    /// differs in each run, or a number that depends on the file.
    package static func of(_ type: Any.Type) -> String {
        let name = _typeName(type, qualified: true)
        guard name.utf8.contains(UInt8(ascii: "(")) else { return name }
        let key = ObjectIdentifier(type)
        if let written = known.withLock({ $0[key] }) { return written }
        let written = asWritten(name)
        known.withLock { $0[key] = written }
        return written
    }

    /// The names that had such parts, by type, so that each is made once.
    private static let known: Guarded<[ObjectIdentifier: String]> = {
        let known = Guarded<[ObjectIdentifier: String]>([:])
        // A forked child names types as well.
        known.holdAcrossForks()
        return known
    }()

    package static func prepareForForks() { _ = known }

    private static func asWritten(_ name: String) -> String {
        name.replacing(/\(unknown context at \$[0-9a-f]+\)\./, with: "")
            .replacing(/\(([^ ()]+) in _[0-9A-F]+\)/) { $0.1 }
    }
}
