// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
internal import Foundation
@_spi(Engine) internal import SwitchyardCore
internal import Synchronization

extension ThreadPostQueue {
    /// Tells the centers of the posts that still wait that they will not be posted. On the thread
    /// that ends.
    func threadEnds() {
        ProcessEnd.remove(self)
        var waiting: [(center: NotificationCenter, topic: Topic)] = []
        var waited = PendingPosts()
        var hooks: RunLoopHooks?
        state.withLock { state in
            waiting = state.waiting
            hooks = state.hooks
            state.end(&waited)
            count.store(0, ordering: .relaxed)
        }
        Rest(of: self, Loss.of(waiting), waited, hooks).threadEnds()
    }

    /// The rest of the end, which may run the user's code. If that ends the thread once more, this
    /// goes on after that.
    private final class Rest: EndsWithThread {
        private let queue: ThreadPostQueue
        private var losses: ArraySlice<Loss>
        private var waited: PendingPosts?
        /// Kept until this thread has no queue any more: the user's code may ask for them.
        private let hooks: RunLoopHooks?

        init(
            of queue: ThreadPostQueue, _ losses: [Loss], _ waited: consuming PendingPosts,
            _ hooks: RunLoopHooks?
        ) {
            self.queue = queue
            self.losses = losses[...]
            self.waited = consume waited
            self.hooks = hooks
        }

        func threadEnds() {
            ThreadEnd.notify(self)
            defer { ThreadEnd.forget(self) }
            while let loss = losses.popFirst() {
                loss.center.engine.report(
                    .undeliverable(
                        "\(queue.label) ended with \(loss) waiting in its queues", loss.count))
            }
            // The last references to posts may enqueue: that is late, and reported as such.
            waited = nil
            queue.dropDefaultQueue()
            let own = UnsafeMutableRawPointer(Unmanaged.passUnretained(queue).toOpaque())
            if switchyard_get_thread_post_queue() == own { switchyard_set_thread_post_queue(nil) }
        }
    }

    func reportAfterEnd(_ topic: Topic, to center: NotificationCenter) {
        center.engine.report(
            .undeliverable(
                "\(topic) was enqueued for \(label), which has ended", 1))
    }

    /// Tells the centers of the posts that wait when the process ends.
    func processEnds() {
        var waiting: [(center: NotificationCenter, topic: Topic)] = []
        state.withLock { waiting = $0.waiting }
        for loss in Loss.of(waiting) {
            loss.center.engine.report(
                .undeliverable(
                    "the process ends with \(loss) waiting in the queues of \(label), whose run loop "
                        + "did not run in their modes, or not long enough", loss.count))
        }
    }

    func reportHighWater(_ waiting: Int, to center: NotificationCenter) {
        center.engine.report(
            DeliveryProblem(
                .highWater,
                "\(waiting) notifications wait in the queues of \(label): it is slower than the threads "
                    + "that enqueue, or does not run its run loop in their modes",
                count: waiting))
    }
}

extension DeliveryProblem {
    fileprivate static func undeliverable(_ what: String, _ count: Int) -> DeliveryProblem {
        DeliveryProblem(.undeliverable, what + "; not posted", count: count)
    }
}

/// The losses of one center, by name.
private struct Loss: CustomStringConvertible {
    let center: NotificationCenter
    private(set) var count = 0
    private var topics: [(name: String, count: Int)] = []
    private var indices: [String: Int] = [:]

    private init(_ center: NotificationCenter) { self.center = center }

    static func of(_ waiting: [(center: NotificationCenter, topic: Topic)]) -> [Loss] {
        var losses: [Loss] = []
        var indices: [ObjectIdentifier: Int] = [:]
        for (center, topic) in waiting {
            let index = indices[ObjectIdentifier(center)] ?? losses.count
            if index == losses.count {
                losses.append(Loss(center))
                indices[ObjectIdentifier(center)] = index
            }
            losses[index].add(topic.description)
        }
        return losses
    }

    private mutating func add(_ name: String) {
        count += 1
        if let index = indices[name] {
            topics[index].count += 1
        } else {
            indices[name] = topics.count
            topics.append((name, 1))
        }
    }

    /// The number of posts, and the first ten names.
    var description: String {
        let names = topics.prefix(10).map { $0.count == 1 ? $0.name : "\($0.name) (\($0.count))" }
        let rest = topics.count - names.count
        return "\(count) notification\(count == 1 ? "" : "s"), "
            + names.joined(separator: ", ") + (rest > 0 ? " and \(rest) more names" : "")
    }
}
