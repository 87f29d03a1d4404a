// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

public import SwitchyardCore

extension DistributedNotificationCenter {
    /// The handling of notifications for an observer while its center is suspended.
    ///
    /// From [Apple's
    /// documentation](https://developer.apple.com/documentation/foundation/distributednotificationcenter/suspensionbehavior).
    public enum SuspensionBehavior: UInt, Sendable {
        /// Notifications are not delivered. Exceptions are notifications that all observers get at
        /// once, because they were posted so, or because another observer has
        /// ``deliverImmediately``.
        case drop = 1
        /// The last notification of each name and object is delivered when the center is resumed.
        /// The default.
        case coalesce = 2
        /// All notifications are delivered when the center is resumed. At most 100,000, or 64 MiB,
        /// are held. Beyond that, the oldest are dropped, superseded ones first, and the problem
        /// hook is told how many.
        case hold = 3
        /// Notifications are delivered at once, after those held before them.
        case deliverImmediately = 4
    }

    /// Options for posting a notification.
    public struct Options: OptionSet, Sendable {
        /// The bits, as on Apple's systems.
        public let rawValue: UInt

        /// Creates options of these bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Suspended observers get the notification at once, after those held before it.
        public static let deliverImmediately = Options(rawValue: 1)
        /// Here for code that names it: the mesh reaches all of the user's sessions anyway.
        public static let postToAllSessions = Options(rawValue: 2)
    }
}

extension ObservationOptions {
    /// The handling of notifications for the observer while its center, a
    /// ``DistributedNotificationCenter``, is suspended.
    public var suspensionBehavior: DistributedNotificationCenter.SuspensionBehavior {
        get {
            switch suspension {
            case Suspension.drop: .drop
            case Suspension.hold: .hold
            case Suspension.deliverImmediately: .deliverImmediately
            default: .coalesce
            }
        }
        set {
            suspension =
                switch newValue {
                case .drop: Suspension.drop
                case .coalesce: Suspension.coalesce
                case .hold: Suspension.hold
                case .deliverImmediately: Suspension.deliverImmediately
                }
        }
    }

    /// Returns the standard options with this handling of notifications while the center is
    /// suspended.
    public static func whenSuspended(
        _ behavior: DistributedNotificationCenter.SuspensionBehavior
    ) -> ObservationOptions { standard.whenSuspended(behavior) }

    /// Returns the same options with this handling of notifications while the center is suspended.
    public func whenSuspended(
        _ behavior: DistributedNotificationCenter.SuspensionBehavior
    ) -> ObservationOptions {
        var options = self
        options.suspensionBehavior = behavior
        return options
    }
}
