// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
internal import SwitchyardCore
internal import Synchronization

/// Whether the main thread has ended, as it does under `dispatchMain()` and an async `@main`, so
/// that the main run loop can't be called any more.
enum MainLoopEnd {
    private final class Watch: EndsWithThread {
        private let action: () -> Void
        init(_ action: @escaping () -> Void) { self.action = action }

        func threadEnds() {
            note()
            action()
        }
    }

    private static let flag = Atomic<Bool>(false)
    private static let isWatched = Atomic<Bool>(false)

    /// Whether the main thread has ended, also if nobody has noted that. CoreFoundation complains
    /// on standard error about additions to the main run loop after that end.
    static var hasCome: Bool {
        flag.load(ordering: .acquiring) || switchyard_main_thread_has_ended()
    }

    /// Notes that the main thread has ended.
    static func note() { flag.store(true, ordering: .releasing) }

    /// Has the end of the main thread noted when it comes, and `action` called then. Only the first
    /// call counts. Called on the main thread.
    static func watch(_ action: @escaping () -> Void) {
        if isWatched.exchange(true, ordering: .relaxed) { return }
        ThreadEnd.notify(Watch(action))
    }
}
