// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The part of a post that a center keeps for observers that come late.
public enum Retention: Sendable {
    /// The center keeps the posted value as the latest about its subject, until another takes its
    /// place.
    case latest
}
