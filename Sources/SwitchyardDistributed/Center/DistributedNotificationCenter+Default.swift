// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// A center with Apple's method `default()` beside the property `default`. A class can't declare
/// both, so the method is declared here.
public protocol DefaultDistributedCenterProviding {}

extension DefaultDistributedCenterProviding {
    /// The center of the default domain, which all programs use that don't name another.
    ///
    /// If other processes can't be reached, the problem is reported once, and the center is for
    /// this process alone. A forked child gets a center of its own.
    public static func `default`() -> DistributedNotificationCenter {
        DefaultDistributedCenter.current
    }
}

extension DistributedNotificationCenter: DefaultDistributedCenterProviding {}
