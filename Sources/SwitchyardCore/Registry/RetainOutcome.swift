// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The outcome of keeping a value for observers that come late.
package struct RetainOutcome {
    /// Whether the value is kept: not if a later one is, or if nobody wants it.
    package let isKept: Bool
    /// The value that was kept before; the one that still is, if `isKept` is false.
    package let other: AnyRetainedValue?
    /// The number of the last registration by then. Observers up to it have not heard the value; later ones hear the
    /// kept value when they register.
    package let last: UInt64
}
