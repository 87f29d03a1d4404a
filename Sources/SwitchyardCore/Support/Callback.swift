// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// A closure behind a reference, for where closures are kept: a bare one is wrapped anew each time
/// it is read through a generic.
///
/// Not private: Swift 6.3 then emits the metadata of noncopyable structures that hold one with a
/// dangling reference to it.
final class Callback<Argument>: Sendable {
    let call: @Sendable (Argument) -> Void

    init(_ call: @escaping @Sendable (Argument) -> Void) { self.call = call }
}
