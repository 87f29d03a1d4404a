// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
internal import Synchronization

/// Whether posts are traced, and how many there are for each that is.
package enum TraceSampling {
    private static let value = Atomic<UInt32>(1)
    private static let on = Atomic<Bool>(false)
    /// The largest interval, which an event's weight can still say.
    package static let longest: UInt32 = 1 << 15

    /// Whether anybody traces.
    package static var isOn: Bool {
        get { on.load(ordering: .relaxed) }
        set {
            if newValue { sessions.wrappingAdd(1, ordering: .relaxed) }
            on.store(newValue, ordering: .relaxed)
            switchyard_begin_trace_round()
        }
    }

    /// The number of times that tracing began.
    static var session: UInt32 { sessions.load(ordering: .relaxed) }
    private static let sessions = Atomic<UInt32>(0)

    /// One in this many posts is traced, on each thread.
    package static var interval: UInt32 {
        get { value.load(ordering: .relaxed) }
        set {
            let interval = min(max(newValue, 1), longest)
            if value.exchange(interval, ordering: .relaxed) != interval {
                switchyard_begin_trace_round()
            }
        }
    }

    /// Whether posts note their call sites.
    package static var notesSites: Bool {
        get { sites.load(ordering: .relaxed) }
        set {
            if sites.exchange(newValue, ordering: .relaxed) != newValue {
                switchyard_begin_trace_round()
            }
        }
    }
    private static let sites = Atomic<Bool>(true)

    /// The sampling of posts that other processes trace and send here: each thread traces one in
    /// this many for their sake. They take no turn from this process's own posts, however many they
    /// are.
    package static var askedInterval: UInt32 {
        get { asked.load(ordering: .relaxed) }
        set { asked.store(min(max(newValue, 1), longest), ordering: .relaxed) }
    }
    private static let asked = Atomic<UInt32>(1)
}
