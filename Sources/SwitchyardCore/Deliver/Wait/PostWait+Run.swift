// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

extension PostWait {
    /// Makes a post, and blocks the thread until its deliveries elsewhere have been made, or, with
    /// that goal, have room.
    ///
    /// - Parameter endsInTime: whether a cycle of waits is no error: the post then waits until the
    ///   time is up.
    package static func run(
        _ goal: Goal, timeout: Duration, endsInTime: Bool = false,
        _ post: (PostWait) -> PostReceipt
    ) throws(PostWaitError) -> PostReceipt {
        let limit = ContinuousClock.now + timeout.withinACentury
        let wait = PostWait(goal)
        var signal = ThreadSignal()
        let receipt = wait.post(post)
        wait.whenDone { [signal] in signal.raise() }
        let edge = try wait.begin(WaitGraph.heldByThisThread, receipt, endsInTime: endsInTime)
        var standing = PostWait.Standing.goesOn
        while case .goesOn = standing {
            let isWoken = signal.wait(until: limit)
            standing = wait.standing
            if !isWoken { break }
            if case .goesOn = standing {
                signal = ThreadSignal()
                wait.whenDone { [signal] in signal.raise() }
            }
        }
        if let edge { wait.ended(edge) }
        return try wait.result(receipt, standing) { .timedOut($0, after: timeout, goal) }
    }

    /// Makes a post, and suspends the task until its deliveries elsewhere have been made, or, with
    /// that goal, have room.
    nonisolated(nonsending) package static func run(
        _ goal: Goal, timeout: Duration?, endsInTime: Bool = false,
        _ post: (PostWait) -> PostReceipt
    ) async throws(PostWaitError) -> PostReceipt {
        // Taken first: handlers that the post calls here use up some of the time.
        let limit = timeout.map { ContinuousClock.now + $0.withinACentury }
        let wait = PostWait(goal)
        let receipt = wait.post(post)
        let edge = try wait.begin(WaitGraph.heldByThisTask, receipt, endsInTime: endsInTime)
        var standing = PostWait.Standing.goesOn
        var end = End.done
        while end == .done, case .goesOn = standing {
            end = await wait.suspend(until: limit)
            standing = wait.standing
        }
        if let edge { wait.ended(edge) }
        return try wait.result(receipt, standing) { receipt in
            end == .cancelled
                ? .cancelled(receipt, goal) : .timedOut(receipt, after: timeout ?? .zero, goal)
        }
    }

    private func post(_ post: (PostWait) -> PostReceipt) -> PostReceipt {
        let receipt = post(self)
        postIsDone()
        return receipt
    }

    private func begin(
        _ holders: [WaitGraph.Resource], _ receipt: PostReceipt, endsInTime: Bool
    ) throws(PostWaitError) -> WaitGraph.Wait? {
        // A wait that ends in time is in nobody's way for ever: it is no part of a cycle.
        if endsInTime || resources.isEmpty || isEnded { return nil }
        do {
            // Deliveries that are made meanwhile are waited for no more.
            let edge = try WaitGraph.begin(holders, for: self.resources)
            began(edge)
            return edge
        } catch {
            if isEnded { return nil }
            abandon()
            if isSettled { return nil }
            throw .cycle(update(receipt), error, goal)
        }
    }

    /// - Parameter error: the error of a wait that goes on although nobody waits any longer.
    private func result(
        _ receipt: PostReceipt, _ standing: Standing, _ error: (PostReceipt) -> PostWaitError
    ) throws(PostWaitError) -> PostReceipt {
        if isEnded {
            giveUp()
            return update(receipt)
        }
        // Only an error gives up the wait, but the error has the counts after that.
        switch standing {
        case .over: break
        case .cycle(let cycle):
            abandon()
            if !isSettled { throw .cycle(update(receipt), cycle, goal) }
        case .goesOn:
            abandon()
            if !isSettled { throw error(update(receipt)) }
        }
        let ended = endedMailboxes
        if !ended.isEmpty || receipt.undeliverable > 0 {
            throw .targetEnded(update(receipt), ended)
        }
        return update(receipt)
    }
}

// MARK: - Without a wait

extension PostWait {
    /// Makes a post, and returns at once.
    ///
    /// - Parameters:
    ///   - waitsForRoom: whether deliveries that find no room wait for it; otherwise they are
    ///     refused.
    ///   - whenDone: called once, with the receipt, when the last handler has returned, or somebody
    ///     has ended the wait; perhaps before this returns.
    /// - Returns: The receipt as it is when the post has gone to everybody.
    package static func start(
        waitsForRoom: Bool = false, _ post: (PostWait) -> PostReceipt,
        whenDone: @escaping @Sendable (PostReceipt, PostWait) -> Void
    ) -> PostReceipt {
        let started = StartedPost(waitsForRoom, whenDone)
        ThreadEnd.notify(started)
        let receipt = post(started.wait)
        ThreadEnd.forget(started)
        started.isDone(receipt)
        return receipt
    }
}

/// A post whose end is told, and that nobody waits for.
private final class StartedPost: EndsWithThread {
    let wait: PostWait
    private let whenDone: @Sendable (PostReceipt, PostWait) -> Void

    init(_ waitsForRoom: Bool, _ whenDone: @escaping @Sendable (PostReceipt, PostWait) -> Void) {
        wait = PostWait(.handled, holdsCaller: false, waitsForRoom: waitsForRoom)
        self.whenDone = whenDone
    }

    /// The post has gone to everybody.
    func isDone(_ receipt: PostReceipt) {
        wait.postIsDone()
        if !wait.waitsForRoom { wait.giveUp() }
        wait.whenDone { [wait, whenDone] in
            wait.giveUp()
            whenDone(wait.update(receipt), wait)
        }
    }

    /// A handler has ended the posting thread: it has heard the post, and nobody behind it does.
    func threadEnds() { isDone(PostReceipt(delivered: 1)) }
}

// MARK: - Suspending

extension PostWait {
    private enum End: Sendable {
        case done
        case timedOut
        case cancelled
    }

    nonisolated(nonsending) private func suspend(
        until end: ContinuousClock.Instant?
    ) async -> End {
        let race = Race<End>()
        whenDone { race.finish(.done) }
        let limit = end.map { WaitLimit(after: max(.zero, $0 - .now)) { race.finish(.timedOut) } }
        defer { limit?.cancel() }
        return await withTaskCancellationHandler {
            await race.winner()
        } onCancel: {
            race.finish(.cancelled)
        }
    }
}

/// The first of several ends.
private final class Race<End: Sendable>: Sendable {
    private let first = Guarded<End?>(nil)
    private let signal = TaskSignal()

    func finish(_ end: End) {
        first.withLock { if $0 == nil { $0 = end } }
        signal.raise()
    }

    func winner() async -> End {
        while true {
            if let first = first.withLock({ $0 }) { return first }
            await signal.wait()
        }
    }
}
