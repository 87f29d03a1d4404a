// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
internal import Foundation
internal import SwitchyardCore
internal import Synchronization

/// The main function and state of a ``DeliveryThread``. The thread holds this, and not the
/// `DeliveryThread`, so that dropping the `DeliveryThread` ends it.
final class DeliveryThreadBody: Sendable {
    private struct Block: Sendable {
        let run: @Sendable () -> Void
    }

    private struct Work: Sendable {
        /// Taken one by one, so that a run loop inside a block goes on with the next.
        var blocks = FIFO<Block>()
        var isStopping = false
    }

    /// The started thread and its mailbox, for the caller that starts it.
    // Sendable: `Thread` may be used from any thread.
    struct Started: @unchecked Sendable {
        let mailbox: SharedMailbox
        let thread: Thread
        let left: LeftDeliveries
    }

    /// Notices the end of the thread, whatever ended it.
    private final class End: EndsWithThread {
        private let body: DeliveryThreadBody
        private var isSecondTime = false

        init(_ body: DeliveryThreadBody) { self.body = body }

        func threadEnds() {
            if isSecondTime { return body.hasEnded() }
            isSecondTime = true
            // The end is notified once more, when the other parts have reported their losses. First,
            // because the report of the blocks may run the user's code, which may end the thread.
            ThreadEnd.notify(self)
            body.dropBlocks()
        }
    }

    private let name: String
    private let bound: DeliveryBound?
    private let work = Guarded(Work())
    private let source = Guarded<RunLoopSource?>(nil)
    /// Held until it is handed over: from then on, who uses the mailbox keeps the thread.
    private let started = Guarded<Started?>(nil)
    private let ready = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)
    private let endWaiters = EndWaiters()
    /// The thread that runs this; zero before, `endedToken` afterwards.
    private let token = Atomic<UInt>(0)
    /// A token that no thread has: that of an ended thread may be given to another.
    private static let endedToken = UInt.max
    /// Has a loop that is to end looked after, whatever loop its handlers run.
    // Unsafe to the compiler: for the thread alone.
    private nonisolated(unsafe) var pulse: RunLoopPulse?

    init(name: String, bound: DeliveryBound?) {
        self.name = name
        self.bound = bound
    }
}

// MARK: - The beginning

extension DeliveryThreadBody {
    /// Starts the thread, and waits for it.
    func start(stackSize: Int?) -> Started {
        while true {
            let thread = Thread { [self] in run() }
            thread.name = name
            if let stackSize { thread.stackSize = stackSize }
            thread.start()
            if ready.wait(timeout: .now() + 1) == .success { break }
            // Foundation does not say that a thread could not be started. It may only be slow, or
            // there may be room for it by now: of two threads, one runs this.
            if token.load(ordering: .acquiring) == 0 {
                let error = switchyard_thread_try(max(0, stackSize ?? 0))
                if error == 0 { continue }
                // The thread may have the last room there was, and not have come to run yet.
                if ready.wait(timeout: .now() + 5) == .success { break }
                fatalError(
                    "DeliveryThread \"\(name)\": the system can't start a thread with a stack of "
                        + "\(stackSize.map { "\($0) bytes" } ?? "the usual size"): "
                        + "\(String(cString: strerror(error))); end threads, ask for a smaller "
                        + "stack, or raise the limits (ulimit -u, ulimit -v)")
            }
            ready.wait()
            break
        }
        guard let started = started.exchange(nil) else {
            preconditionFailure("the thread said that it was ready, and has no mailbox")
        }
        return started
    }

    private func run() {
        let token = switchyard_thread_token()
        let (isFirst, _) = self.token.compareExchange(
            expected: 0, desired: token, ordering: .acquiringAndReleasing)
        guard isFirst else { return }
        ThreadName.current = name
        checkDescriptors()
        let mailboxes = RunLoopMailboxes.attach(named: name, bound: bound)
        ThreadEnd.notify(End(self))
        let made = RunLoopSource(inModes: [.common]) { [unowned self] in runBlocks() }
        source.withLock { $0 = made }
        started.withLock { [self] in
            $0 = Started(
                mailbox: mailboxes.makeMailbox(keeping: ThreadKeeper(stop: stop)),
                thread: .current, left: mailboxes.left)
        }
        ready.signal()
        while !isStopping { _ = RunLoop.current.run(mode: .default, before: .distantFuture) }
        leave(mailboxes)
    }

    /// Stops the program, with the reason, if the thread's run loop would not get its descriptors:
    /// CoreFoundation stops it without one.
    private func checkDescriptors() {
        #if !canImport(Darwin)
        let tried = (0..<3).map { _ in switchyard_signal_create() }
        let hasRoom = tried.allSatisfy { $0.read_end >= 0 }
        for signal in tried where signal.read_end >= 0 { switchyard_signal_close(signal) }
        if hasRoom { return }
        fatalError(
            "DeliveryThread \"\(name)\": no file descriptors are left for its run loop, which takes "
                + "three; close some, end threads, or raise the limit (ulimit -n)")
        #endif
    }
}

// MARK: - Blocks

extension DeliveryThreadBody {
    func perform(_ block: @escaping @Sendable () -> Void) -> Bool {
        let accepted = work.withLock { work in
            if work.isStopping { return false }
            work.blocks.append(Block(run: block))
            return true
        }
        if accepted { signal() }
        return accepted
    }

    /// Runs at most as many as there were, so that the loop gets to its other sources.
    private func runBlocks() {
        // A loop inside a handler may have taken the signal to stop: the pulse gives others.
        if isStopping, pulse == nil { pulse = RunLoopPulse { [unowned self] in signal() } }
        var left = work.withLock { $0.blocks.count }
        if left > 1 { signal() }
        while left > 0, let block = work.withLock({ $0.blocks.popFirst() }) {
            block.run()
            left -= 1
        }
        if hasBlocks { signal() }
    }

    private var hasBlocks: Bool { work.withLock { !$0.blocks.isEmpty } }

    private func signal() { source.withLock { $0 }?.signal() }

    /// The blocks of a thread that ended inside a handler are not run.
    private func dropBlocks() {
        let blocks = work.withLock { work in
            defer { work.blocks = FIFO() }
            work.isStopping = true
            return work.blocks
        }
        if blocks.isEmpty { return }
        NotificationCenter.default.engine.report(
            DeliveryProblem(
                .undeliverable,
                "thread \(name) ended with \(blocks.count) block\(blocks.count == 1 ? "" : "s") "
                    + "waiting that perform(_:) had taken, which will not run",
                count: blocks.count))
    }
}

// MARK: - The end

extension DeliveryThreadBody {
    func stop() {
        work.withLock { $0.isStopping = true }
        signal()
    }

    private var isStopping: Bool { work.withLock(\.isStopping) }

    /// Delivers the waiting mail, and reports the rest.
    private func leave(_ mailboxes: RunLoopMailboxes) {
        var rest = LeavingThread(mailboxes)
        repeat {
            // The run has a time limit: posting from the thread's queues does not make a loop
            // return.
            _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 0.01))
        } while hasBlocks || rest.hasWork()
        pulse?.end()
        source.exchange(nil)?.invalidate()
        // The mailboxes end before the thread's other end actions, which may post and must find
        // them closed. Code that registers on this thread even now gets others, which end with the
        // thread.
        ThreadEnd.forget(mailboxes)
        mailboxes.threadEnds()
    }

    private func hasEnded() {
        token.store(Self.endedToken, ordering: .releasing)
        source.exchange(nil)?.invalidate()
        ended.signal()
        endWaiters.end()
    }

    func waitUntilEnded(within limit: Duration?) async -> Bool {
        guard let limit else { return await endWaiters.wait() }
        return await endWaiters.wait(within: limit)
    }

    func join(_ timeout: Duration?) -> Bool {
        if token.load(ordering: .acquiring) == switchyard_thread_token() { return false }
        if let timeout {
            let (seconds, attoseconds) = timeout.withinACentury.components
            // A time that has passed is now.
            let limit = max(0, Double(seconds) + Double(attoseconds) * 1e-18)
            guard ended.wait(timeout: .now() + limit) == .success else { return false }
        } else {
            ended.wait()
        }
        ended.signal()
        return true
    }
}
