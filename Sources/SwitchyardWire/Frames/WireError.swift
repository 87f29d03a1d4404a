// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The reason why a connection is ended.
@usableFromInline
package struct WireError: Error, CustomStringConvertible {
    @usableFromInline package let description: String

    @usableFromInline package init(_ description: String) { self.description = description }
}
