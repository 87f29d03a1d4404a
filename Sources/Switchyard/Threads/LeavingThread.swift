// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import SwitchyardCore

/// The work that remains for a thread that is to end: the deliveries, posts and messages that
/// waited for its run loop when it began to leave, and a few of those that come meanwhile. On the
/// thread itself, outside of every handler.
struct LeavingThread {
    /// The number of deliveries of each kind that are made of those that come while the thread
    /// leaves.
    private static let grace = 100
    /// The number of turns of the loop without a delivery after which the rest is given up: a port
    /// may be served by another thread that does not get on with it.
    private static let patience = 100

    /// The modes in which a `DeliveryThread` runs its loop.
    private static let modes: Set<RunLoop.Mode> = [.default, .common]

    private struct Rest: Equatable {
        var deliveries = 0
        var posts = 0
        var messages = 0
        var isNothing: Bool { self == Rest() }
    }

    private let mailboxes: RunLoopMailboxes
    /// The last post that is waited for.
    private let lastPost: UInt64
    /// Ports, with the number of the last message that is waited for.
    private var ports: [PortsOfThread.Goal]
    /// The most ports: those of the beginning, and a few that blocks and handlers give to the loop
    /// since.
    private let mostPorts: Int
    private var last = Rest()
    private var idleTurns = 0

    init(_ mailboxes: RunLoopMailboxes) {
        self.mailboxes = mailboxes
        mailboxes.leave(after: Self.grace)
        lastPost = ThreadPostQueue.lastOfCurrent + UInt64(Self.grace)
        ports = PortsOfThread.goals(after: Self.grace)
        mostPorts = ports.count + Self.grace
    }

    /// Whether the loop has to run once more.
    mutating func hasWork() -> Bool {
        // A block that waited when the thread was stopped may have given its port to the loop.
        ports += PortsOfThread.goals(after: Self.grace, besides: ports)
            .prefix(mostPorts - ports.count)
        var rest = look()
        if rest.deliveries == 0, rest.messages == 0, rest.posts > 0 {
            // A thread that has nothing left to do but to end is idle.
            ThreadPostQueue.postWhenIdle()
            rest = look()
        }
        idleTurns = rest == last ? idleTurns + 1 : 0
        last = rest
        return !rest.isNothing && idleTurns < Self.patience
    }

    private func look() -> Rest {
        Rest(
            deliveries: mailboxes.left(in: Self.modes),
            posts: ThreadPostQueue.waiting(in: Self.modes, upTo: lastPost),
            messages: ports.reduce(0) { $0 + $1.left(in: Self.modes) })
    }
}
