// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
internal import Foundation
@_spi(Engine) internal import SwitchyardCore
internal import Synchronization

extension Backlog {
    /// Tells the centers of the posts that still wait that they will not be posted. On the thread that ends.
    func threadEnds() {
        ProcessEnd.remove(self)
        var waiting: [(center: NotificationCenter, topic: Topic)] = []
        var waited = PendingPosts()
        state.withLock { state in
            waiting = state.waiting
            state.end(&waited)
            count.store(0, ordering: .relaxed)
        }
        for loss in Loss.of(waiting) {
            loss.center.engine.report(
                .undeliverable("\(label) ended with \(loss) waiting in its queues", loss.count))
        }
        // The user's code may run here, and enqueue: that is late, and reported as such.
        _ = consume waited
        waiting = []
        dropDefaultQueue()
        let own = UnsafeMutableRawPointer(Unmanaged.passUnretained(self).toOpaque())
        if switchyard_get_thread_backlog() == own { switchyard_set_thread_backlog(nil) }
    }

    func reportLate(_ topic: Topic, to center: NotificationCenter) {
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
                "\(waiting) notifications wait in the queues of \(label): it is slower than those "
                    + "who enqueue, or does not run its run loop in their modes",
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
    private var places: [String: Int] = [:]

    private init(_ center: NotificationCenter) { self.center = center }

    static func of(_ waiting: [(center: NotificationCenter, topic: Topic)]) -> [Loss] {
        var losses: [Loss] = []
        var places: [ObjectIdentifier: Int] = [:]
        for (center, topic) in waiting {
            let place = places[ObjectIdentifier(center)] ?? losses.count
            if place == losses.count {
                losses.append(Loss(center))
                places[ObjectIdentifier(center)] = place
            }
            losses[place].add(topic.description)
        }
        return losses
    }

    private mutating func add(_ name: String) {
        count += 1
        if let place = places[name] {
            topics[place].count += 1
        } else {
            places[name] = topics.count
            topics.append((name, 1))
        }
    }

    /// How many, and the first ten names.
    var description: String {
        let names = topics.prefix(10).map { $0.count == 1 ? $0.name : "\($0.name) (\($0.count))" }
        let rest = topics.count - names.count
        return "\(count) notification\(count == 1 ? "" : "s"), "
            + names.joined(separator: ", ") + (rest > 0 ? " and \(rest) more names" : "")
    }
}

/// Tells what still waits when the process exits.
enum ProcessEnd {
    // Sendable: backlogs are.
    private struct Living: Sendable {
        var backlogs: [ObjectIdentifier: Backlog] = [:]
        var isWatching = false
    }

    /// The backlogs of threads that have not ended.
    private static let living = Guarded(Living())

    static func add(_ backlog: Backlog) {
        let watches = living.withLock { living in
            living.backlogs[ObjectIdentifier(backlog)] = backlog
            defer { living.isWatching = true }
            return !living.isWatching
        }
        if watches { atexit { ProcessEnd.run() } }
    }

    static func remove(_ backlog: Backlog) {
        _ = living.withLock { $0.backlogs.removeValue(forKey: ObjectIdentifier(backlog)) }
    }

    private static func run() {
        let backlogs = living.withLock { Array($0.backlogs.values) }
        for backlog in backlogs.sorted(by: { $0.label < $1.label }) { backlog.processEnds() }
    }
}
