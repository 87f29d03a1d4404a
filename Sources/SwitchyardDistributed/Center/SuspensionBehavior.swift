// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

public import SwitchyardCore

extension DistributedNotificationCenter {
    /// What becomes of notifications for an observer while its center is suspended.
    ///
    /// From [Apple's documentation](https://developer.apple.com/documentation/foundation/distributednotificationcenter/suspensionbehavior).
    public enum SuspensionBehavior: UInt, Sendable {
        /// They are not delivered; except those that are for all at once, because they were posted so,
        /// or another observer is one of ``deliverImmediately``.
        case drop = 1
        /// Of those with the same name and object, the last is delivered when the center is resumed.
        /// What happens unless told otherwise.
        case coalesce = 2
        /// All are delivered when the center is resumed. 100,000 may be held, or 64 MiB; beyond, the oldest are
        /// given up, and the problem hook is told how many.
        case hold = 3
        /// They are delivered at once, and what was held before them.
        case deliverImmediately = 4
    }

    /// How a notification is posted.
    public struct Options: OptionSet, Sendable {
        /// The bits, as on Apple's systems.
        public let rawValue: UInt

        /// Options of these bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Suspended observers get it at once, and what was held before it.
        public static let deliverImmediately = Options(rawValue: 1)
        /// Here for the sake of code that names it: the mesh reaches all of the user's sessions anyway.
        public static let postToAllSessions = Options(rawValue: 2)
    }
}

extension ObservationOptions {
    /// What becomes of notifications for the observer while its center, a
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

    /// The standard options, but for what becomes of notifications while the center is suspended.
    public static func whenSuspended(
        _ behavior: DistributedNotificationCenter.SuspensionBehavior
    ) -> ObservationOptions {
        var options = ObservationOptions()
        options.suspensionBehavior = behavior
        return options
    }
}
