// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// A handler's decision about a post that it has seen.
public enum Consumption: Sendable {
    /// The post goes on to the next observer.
    case passed
    /// The post ends here: observers behind this one do not hear it.
    case consumed
}
