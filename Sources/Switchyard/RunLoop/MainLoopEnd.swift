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

    /// True also if nobody has noted it. CoreFoundation complains on standard error when somebody adds
    /// to the main run loop after that.
    static var hasCome: Bool {
        flag.load(ordering: .acquiring) || switchyard_main_thread_has_ended()
    }

    /// Notes that it has come.
    static func note() { flag.store(true, ordering: .releasing) }

    /// Notes the end when it comes, and calls `action`; only the first call counts. On the main thread.
    static func watch(_ action: @escaping () -> Void) {
        if isWatched.exchange(true, ordering: .relaxed) { return }
        ThreadEnd.notify(Watch(action))
    }
}
