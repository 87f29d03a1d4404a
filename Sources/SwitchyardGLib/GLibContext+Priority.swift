// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if GLib
internal import CSwitchyardGLib

extension GLibContext {
    /// The priority of deliveries among the other sources of a main context.
    ///
    /// In one turn, a loop serves the ready sources of the highest priority, and no others. So
    /// deliveries that keep coming at ``normal`` hold up whatever has a lower priority: GTK draws a
    /// window at 120, between ``highIdle`` and ``idle``. Choose ``idle`` for a flood that may wait
    /// until the window is drawn.
    public struct Priority: RawRepresentable, Hashable, Sendable {
        /// GLib's number. A lower number is a higher priority.
        public let rawValue: Int32

        /// A priority of your own.
        ///
        /// - Parameter rawValue: GLib's number. A lower number is a higher priority.
        public init(rawValue: Int32) { self.rawValue = rawValue }

        /// Before ordinary sources (`G_PRIORITY_HIGH`, -100).
        public static let high = Priority(rawValue: G_PRIORITY_HIGH)
        /// With ordinary sources: timers, sockets, GTK's events (`G_PRIORITY_DEFAULT`, 0).
        public static let normal = Priority(rawValue: G_PRIORITY_DEFAULT)
        /// After ordinary sources, and before a window is drawn (`G_PRIORITY_HIGH_IDLE`, 100).
        public static let highIdle = Priority(rawValue: G_PRIORITY_HIGH_IDLE)
        /// When the loop is idle, after windows are drawn (`G_PRIORITY_DEFAULT_IDLE`, 200).
        public static let idle = Priority(rawValue: G_PRIORITY_DEFAULT_IDLE)
        /// When nothing else is to be done (`G_PRIORITY_LOW`, 300).
        public static let low = Priority(rawValue: G_PRIORITY_LOW)
    }
}
#endif
