// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
internal import Foundation
@_spi(Engine) internal import SwitchyardCore
internal import Synchronization

/// What waits in the queues of one thread, and how that thread's run loop is brought to post it.
///
/// The posts are here, and not in the queues, so that a queue can go before they do, and so that
/// they have one order over all queues of the thread.
final class Backlog: EndsWithThread, Sendable {
    /// Whether it is that of the main queue and main thread, which has no end.
    let isMain: Bool
    /// What reports call the thread.
    let label: String
    let state: Guarded<BacklogState>
    /// How many posts wait, for the owner to see without the lock. Guard for writing: `state`.
    let count = Atomic<Int>(0)
    /// Those in `state`, for the owner without the lock.
    // Unsafe, not counted: `state` holds them until the owner has ended, and only it asks.
    private let ownersHooks: Unmanaged<RunLoopHooks>
    /// The owner's default queue.
    // Unsafe to the compiler: only the owner touches it.
    private nonisolated(unsafe) var ownersQueue: NotificationQueue?
    let mainQueue = MainQueueHops()

    init(_ hooks: RunLoopHooks, isMain: Bool) {
        self.isMain = isMain
        label = isMain ? "the main thread" : Self.label(ThreadName.current)
        ownersHooks = .passUnretained(hooks)
        state = Guarded(BacklogState(hooks))
    }

    private static func label(_ name: String) -> String {
        name.isEmpty ? "a thread without a name" : "thread \(name)"
    }

    /// Whether the calling code runs on its thread, or on the main queue if it is main's.
    @inline(__always)
    var isCurrent: Bool {
        let own = switchyard_get_thread_backlog()
        if own == UnsafeMutableRawPointer(Unmanaged.passUnretained(self).toOpaque()) { return true }
        return isMain && MainTarget.isCurrent
    }

    /// Whether the owner's loop does not run, or runs in one of `modes` (nil or none: the default).
    /// For the owner.
    @inline(__always)
    func postsNow(in modes: [RunLoop.Mode]?) -> Bool {
        ownersHooks._withUnsafeGuaranteedRef { hooks in
            guard let mode = hooks.currentMode else { return true }
            guard let modes, !modes.isEmpty else { return mode == .default }
            return modes.contains(mode) || modes.contains(.common) && hooks.isCommon(mode)
        }
    }

    /// Whether nothing waits, as far as the calling thread can know.
    @inline(__always)
    var isEmpty: Bool { count.load(ordering: .relaxed) == 0 }

    /// For the owner.
    var isLoopRunning: Bool { ownersHooks._withUnsafeGuaranteedRef { $0.currentMode != nil } }

    /// The thread's default queue. For the owner.
    var defaultQueue: NotificationQueue {
        if let ownersQueue { return ownersQueue }
        let queue = NotificationQueue(notificationCenter: .default, backlog: self)
        // Not kept by a thread that has ended: nobody would let it go.
        if state.withLock({ $0.hooks != nil }) { ownersQueue = queue }
        return queue
    }

    /// Lets the default queue go, when the thread ends.
    func dropDefaultQueue() { ownersQueue = nil }
}

// MARK: - The calling thread's

extension Backlog {
    static let main: Backlog = {
        let main = Backlog(.main, isMain: true)
        ProcessEnd.add(main)
        return main
    }()

    /// The calling thread's; that of main on the main thread and in blocks of the main queue,
    /// whichever thread serves it.
    static var current: Backlog {
        guard let own = switchyard_get_thread_backlog() else { return make() }
        let backlog = Unmanaged<Backlog>.fromOpaque(own).takeUnretainedValue()
        if !backlog.isMain, MainTarget.isCurrent { return main }
        return backlog
    }

    @inline(never)
    private static func make() -> Backlog {
        let isMain = Thread.isMainThread
        if !isMain, MainTarget.isCurrent { return main }
        let backlog = isMain ? main : Backlog(.current, isMain: false)
        switchyard_set_thread_backlog(Unmanaged.passUnretained(backlog).toOpaque())
        if isMain {
            MainLoopEnd.watch()
        } else {
            ProcessEnd.add(backlog)
            ThreadEnd.notify(backlog)
        }
        return backlog
    }
}

// MARK: - Enqueuing and removing

extension Backlog {
    /// Puts a post into a lane, after what its key finds has been removed. From any thread.
    func enqueue(_ request: consuming EnqueueRequest) {
        while true {
            let outcome = state.withLock { state in
                let outcome = state.enqueue(&request)
                count.store(state.pending.count, ordering: .relaxed)
                return outcome
            }
            switch outcome {
            case .done:
                return
            case .arm(let arming):
                return arm(arming)
            case .report(let arming, let waiting):
                if let arming { arm(arming) }
                return reportHighWater(waiting, to: request.center)
            case .ask(let questions):
                request.equality.ask(questions, about: request.subject)
            case .ended:
                return reportLate(request.topic, to: request.center)
            }
        }
    }

    /// Removes what a queue has of a key. From any thread.
    ///
    /// - Returns: Whether there was any.
    @discardableResult
    func remove(_ key: CoalescingKey, _ topic: Topic, _ subject: Subject, of book: Int) -> Bool {
        var discarded = DiscardedPosts()
        var equality = ValueEquality()
        while true {
            let questions = state.withLock { state in
                let questions = state.removeAll(
                    key, topic, subject, of: book, equality, &discarded)
                count.store(state.pending.count, ordering: .relaxed)
                return questions
            }
            guard let questions else { return !discarded.isEmpty }
            equality.ask(questions, about: subject)
        }
    }

    /// Whether a queue has anything of a key. From any thread.
    func contains(_ key: CoalescingKey, _ topic: Topic, _ subject: Subject, in book: Int) -> Bool {
        var equality = ValueEquality()
        while true {
            switch state.withLock({ $0.find(key, topic, subject, in: book, equality) }) {
            case .nothing: return false
            case .slot: return true
            case .ask(let questions): equality.ask(questions, about: subject)
            }
        }
    }
}
