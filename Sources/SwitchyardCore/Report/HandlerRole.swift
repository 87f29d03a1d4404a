// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The kind of code that an observation calls, as far as it matters to what several registrations
/// of one line mean.
@_spi(Engine) public enum HandlerRole: Sendable {
    /// A closure or block. The object that it works for is not visible.
    case closure
    /// A method of the observer object.
    case method
    /// A closure or method that is isolated to an actor, which may serve many objects.
    case isolated
    /// A sequence, a recorder, or code in C: several registrations of one line are several of
    /// these.
    case other
}
