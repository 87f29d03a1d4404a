// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
internal import Foundation
@_spi(Engine) internal import SwitchyardCore
internal import Synchronization

/// The posts that wait in the queues of one thread. Arranges that the thread's run loop makes them.
///
/// The posts are here, and not in the queues, so that a queue can go before they do, and so that
/// they have one order over all queues of the thread.
final class ThreadPostQueue: EndsWithThread, EndsWithProcess {
    /// Whether the posts are those of the main thread and the main queue, which never end.
    let isMain: Bool
    /// The thread's name in reports.
    let label: String
    let state: Guarded<ThreadPostQueueState>
    /// The number of waiting posts, for the owner to see without the lock. Guard for writing:
    /// `state`.
    let count = Atomic<Int>(0)
    /// The run loop's hooks, also in `state`, for the owner without the lock.
    // Unsafe, not counted: `state` holds them until the owner ends, `threadEnds()` until it has
    // ended, and only the owner asks.
    private let ownersHooks: Unmanaged<RunLoopHooks>
    /// The owner's default `NotificationQueue`, which posts to the process's center. For the owner.
    // Unsafe to the compiler: only the owner touches it.
    private(set) nonisolated(unsafe) var defaultQueue: AnyObject?
    /// Whether the check for a thread of libdispatch's pool is done: the thread is none, or its
    /// center has been told.
    let isCheckedForLoop: Atomic<Bool>

    init(_ hooks: RunLoopHooks, isMain: Bool) {
        self.isMain = isMain
        isCheckedForLoop = Atomic(isMain)
        label = isMain ? "the main thread" : Self.label(ThreadName.current)
        ownersHooks = .passUnretained(hooks)
        state = Guarded(ThreadPostQueueState(hooks, isMain: isMain))
    }

    private static func label(_ name: String) -> String {
        name.isEmpty ? "a thread without a name" : "thread \(name)"
    }

    /// Whether the calling code runs on the thread of these posts, or, for those of main, on the
    /// main queue.
    @inline(__always)
    var isCurrent: Bool {
        let own = switchyard_get_thread_post_queue()
        if own == UnsafeMutableRawPointer(Unmanaged.passUnretained(self).toOpaque()) { return true }
        return isMain && MainQueue.isCurrent
    }

    /// Whether the owner's loop does not run, or runs in one of `modes` (nil or none: the default).
    /// For the owner alone.
    @inline(__always)
    func postsNow(in modes: [RunLoop.Mode]?) -> Bool {
        ownersHooks._withUnsafeGuaranteedRef { hooks in
            guard let mode = hooks.currentMode, !isInEndedLoop else { return true }
            guard let modes, !modes.isEmpty else { return mode == .default }
            return modes.contains(mode) || modes.contains(.common) && hooks.isCommon(mode)
        }
    }

    /// Whether nothing waits, as far as the calling thread can know.
    @inline(__always)
    var isEmpty: Bool { count.load(ordering: .relaxed) == 0 }

    /// Whether the owner's run loop runs. For the owner alone.
    var isLoopRunning: Bool {
        !isInEndedLoop && ownersHooks._withUnsafeGuaranteedRef { $0.currentMode != nil }
    }

    /// Whether the main thread has ended, perhaps inside its run loop, which then has a mode for
    /// ever.
    private var isInEndedLoop: Bool { isMain && MainLoopEnd.hasCome }

    /// Keeps the owner's default queue, unless the thread has ended: nobody would let it go.
    func keepDefaultQueue(_ queue: AnyObject) {
        if state.withLock({ $0.hooks != nil }) { defaultQueue = queue }
    }

    /// Lets the default queue go, when the thread ends.
    func dropDefaultQueue() { defaultQueue = nil }
}

// MARK: - The calling thread's

extension ThreadPostQueue {
    static let main: ThreadPostQueue = {
        let main = ThreadPostQueue(.main, isMain: true)
        ProcessEnd.add(main)
        return main
    }()

    /// The waiting posts of the calling thread. In blocks of the main queue, whichever thread
    /// serves it, those of main.
    static var current: ThreadPostQueue {
        guard let own = switchyard_get_thread_post_queue() else { return make() }
        let known = Unmanaged<ThreadPostQueue>.fromOpaque(own).takeUnretainedValue()
        return !known.isMain && MainQueue.isCurrent ? mainFromMainQueue : known
    }

    /// The waiting posts of the calling thread; nil if nothing was ever enqueued there.
    private static var known: ThreadPostQueue? {
        guard let own = switchyard_get_thread_post_queue() else { return nil }
        return Unmanaged<ThreadPostQueue>.fromOpaque(own).takeUnretainedValue()
    }

    /// The number of the last post that was enqueued for the calling thread.
    static var lastOfCurrent: UInt64 { known?.state.withLock { $0.lastSequence } ?? 0 }

    /// The number of posts numbered up to `last` that wait on the calling thread for one of
    /// `modes`.
    static func waiting(in modes: Set<RunLoop.Mode>, upTo last: UInt64) -> Int {
        guard let known, !known.isEmpty else { return 0 }
        return known.state.withLock { $0.waiting(in: modes, upTo: last) }
    }

    /// Posts the entries that wait for the calling thread to be idle, in the default mode.
    static func postWhenIdle() { known?.drain(through: .whenIdle, in: .default) }

    /// The waiting posts of main, for a block of the main queue on another thread than the main
    /// thread. Notes that such a thread serves the main queue.
    private static var mainFromMainQueue: ThreadPostQueue {
        noteMainServer()
        return main
    }

    @inline(never)
    private static func make() -> ThreadPostQueue {
        let isMain = Thread.isMainThread
        if !isMain, MainQueue.isCurrent { return mainFromMainQueue }
        let made = isMain ? main : ThreadPostQueue(.current, isMain: false)
        switchyard_set_thread_post_queue(Unmanaged.passUnretained(made).toOpaque())
        if isMain {
            watchMainLoop()
        } else {
            ProcessEnd.add(made)
            ThreadEnd.notify(made)
        }
        return made
    }
}

// MARK: - Enqueuing and removing

extension ThreadPostQueue {
    /// Removes the posts that `key` finds, then puts a post into a lane. Called from any thread.
    @inline(__always)
    func enqueue(
        _ post: consuming QueuedPost, _ options: EnqueueOptions, _ key: borrowing CoalescingKey,
        reportingTo center: NotificationCenter
    ) {
        let state = self.state.acquire()
        if key.matches, !options.keepsFirst, state.pointee.replaceLast(options, by: &post, key) {
            // `post` is the replaced one now, and is destroyed when this returns.
            self.state.release()
            return traceCoalesced(key, in: center)
        }
        var discarded = DiscardedPosts()
        guard coalesce(state, key, keepsFirst: options.keepsFirst, &discarded) else {
            return traceCoalesced(key, in: center)
        }
        guard state.pointee.hooks != nil else {
            self.state.release()
            return reportAfterEnd(post.topic, to: center)
        }
        let lane = state.pointee.lane(options.style, options.modes)
        let request = state.pointee.append(post, to: lane, of: options.queueID)
        let highWater = state.pointee.newHighWater()
        release(state)
        if let request { send(request) }
        if highWater > 0 { reportHighWater(highWater, to: center) }
        if !discarded.isEmpty { traceCoalesced(key, in: center) }
    }

    /// Traces a post that was coalesced with one that waited, while somebody traces posts.
    @inline(__always)
    private func traceCoalesced(
        _ key: borrowing CoalescingKey, in center: NotificationCenter
    ) {
        if center.engine.isTraced { TraceCoalescing.happened(key.topic) }
    }

    /// Removes the posts that `key` finds. Returns false, with the lock free, if the first is to be
    /// kept and there is one. The lock is also free while the user's `==` runs.
    @inline(__always)
    private func coalesce(
        _ state: UnsafeMutablePointer<ThreadPostQueueState>, _ key: borrowing CoalescingKey,
        keepsFirst: Bool, _ discarded: inout DiscardedPosts
    ) -> Bool {
        guard key.matches else { return true }
        var equality = ValueEquality()
        while true {
            switch state.pointee.coalesce(key, keepsFirst: keepsFirst, equality, &discarded) {
            case .done:
                return true
            case .stays:
                release(state)
                return false
            case .ask(let questions):
                release(state)
                // Consumed, so that no value of a user is released under the lock.
                equality.ask(consume questions, about: key.subject)
                _ = self.state.acquire()
            }
        }
    }

    @inline(__always)
    private func release(_ state: UnsafeMutablePointer<ThreadPostQueueState>) {
        count.store(state.pointee.pending.count, ordering: .relaxed)
        self.state.release()
    }

    /// Coalesces a post that is to be made at once with those that wait: removes these, or, if the
    /// first is to be kept, looks for one.
    ///
    /// - Returns: Whether the first is kept, so that the post is not to be made.
    func coalesce(
        _ key: borrowing CoalescingKey, keepsFirst: Bool, in center: NotificationCenter
    ) -> Bool {
        var discarded = DiscardedPosts()
        let isKept = remove(key, keepsFirst: keepsFirst, &discarded)
        if isKept || !discarded.isEmpty { traceCoalesced(key, in: center) }
        return isKept
    }

    /// Removes the posts that `key` finds. Called from any thread.
    func remove(_ key: borrowing CoalescingKey) {
        var discarded = DiscardedPosts()
        _ = remove(key, keepsFirst: false, &discarded)
    }

    /// - Returns: Whether the first was to be kept, and there is one.
    private func remove(
        _ key: borrowing CoalescingKey, keepsFirst: Bool, _ discarded: inout DiscardedPosts
    ) -> Bool {
        let state = self.state.acquire()
        guard coalesce(state, key, keepsFirst: keepsFirst, &discarded) else { return true }
        release(state)
        return false
    }

    /// Takes the next post of a drain, and its center, if that is another than the last one's.
    @inline(__always)
    func next(
        _ drain: Drain, after last: NotificationCenter, _ other: inout NotificationCenter?
    ) -> QueuedPost? {
        let state = self.state.acquire()
        let post = state.pointee.next(drain, after: last, &other)
        release(state)
        return post
    }
}
