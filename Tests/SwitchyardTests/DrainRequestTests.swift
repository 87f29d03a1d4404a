// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Switchyard
import TestSupport
import Testing

/// The state machine that has lanes drained, tried with every order of events.
@Suite("Notification queues: drain requests") struct DrainRequestTests {
    @Test(.rule(25, 28), arguments: DrainWorld.Server.allCases)
    func `No order of events leaves a lane that nobody drains`(
        server: DrainWorld.Server
    ) {
        let isSanitized = dlsym(nil, "__tsan_init") != nil
        var worlds: Set<DrainWorld> = [DrainWorld(server)]
        var known = worlds
        for _ in 0..<(isSanitized ? 6 : 8) {
            var next: Set<DrainWorld> = []
            for world in worlds {
                for event in world.events {
                    var changed = world
                    changed.happen(event)
                    guard known.insert(changed).inserted else { continue }
                    if let deaf = changed.deafLane {
                        Issue.record("lane \(deaf) is deaf after \(event) in \(world)")
                        return
                    }
                    next.insert(changed)
                }
            }
            worlds = next
        }
        // The count guards against a search that found nothing to try.
        #expect(known.count > 100)
    }

    @Test(.rule(28))
    func `A mode that never runs has one call, however often handlers empty and fill its lane`() {
        var requests = DrainRequests()
        requests.addLane()
        let other = 2
        #expect(requests.appended(to: other, wasEmpty: true) != nil)
        for _ in 0..<3 {
            #expect(requests.appended(to: 0, wasEmpty: true) != nil)
            for lane in 0...1 { requests.passComes(to: lane) }
            let takes = requests.drainComes(to: 0, isEmpty: false)
            #expect(takes)
            requests.drainBegan()
            #expect(requests.appended(to: other, wasEmpty: true) == nil)
            requests.drainEnded()
        }
    }
}

/// A model of a thread's post queue: its lanes, its run loop and the main queue, without posts.
struct DrainWorld: Hashable {
    /// The caller that has lanes drained.
    enum Server: CaseIterable {
        /// The run loop of a thread.
        case loop
        /// The main run loop; it may end, and the main queue is served from then on.
        case mainLoop
        /// The main queue, under `dispatchMain()` or an async main.
        case mainQueue
    }

    enum Event {
        case enqueue(Int)
        /// The posts that wait in a lane are dequeued.
        case empty(Int)
        /// A call of the run loop comes, also inside a handler.
        case call(Int)
        /// The innermost drain posts what is next, or ends.
        case proceed
        case block
        case mainThreadEnds
    }

    private struct Call: Hashable {
        let lane: Int
        let number: UInt64
    }

    private struct Drain: Hashable {
        var left: [Int: Int]
        /// True: a drain of whenIdle follows.
        var thenIdle: Bool
        let isHop: Bool
    }

    private enum Block { case asap, idle }

    /// Lane 0 is asap, lane 1 whenIdle.
    private static let lanes = 0...1

    private var server: Server
    private var requests = DrainRequests()
    /// The number of posts that wait in each lane.
    private var waiting = [0, 0]
    /// The calls that the run loop was asked for.
    private var calls: [Call] = []
    private var blocks: [Block] = []
    private var drains: [Drain] = []

    init(_ server: Server) { self.server = server }

    // MARK: - Events

    /// The events that may happen next.
    var events: [Event] {
        var events = Self.lanes.map { Event.enqueue($0) }
        events += Self.lanes.filter { waiting[$0] > 0 }.map { .empty($0) }
        // A run loop inside a handler is called as well.
        if server != .mainQueue { events += calls.indices.map { .call($0) } }
        if !drains.isEmpty {
            events.append(.proceed)
        } else {
            if !blocks.isEmpty { events.append(.block) }
            if server == .mainLoop { events.append(.mainThreadEnds) }
        }
        return events
    }

    mutating func happen(_ event: Event) {
        switch event {
        case .enqueue(let lane):
            let wasEmpty = waiting[lane] == 0
            waiting[lane] += 1
            if let number = requests.appended(to: lane, wasEmpty: wasEmpty) { ask(lane, number) }
        case .empty(let lane):
            waiting[lane] = 0
            for index in drains.indices { drains[index].left[lane] = 0 }
        case .call(let index):
            let call = calls.remove(at: index)
            guard requests.callCame(for: call.lane, call.number) else { return }
            drain(0, thenIdle: call.lane == 1, isHop: false)
        case .proceed:
            proceed()
        case .block:
            come(blocks.removeFirst())
        case .mainThreadEnds:
            server = .mainQueue
            calls = []
            if requests.wantsHop() { blocks.append(.asap) }
        }
    }

    private mutating func ask(_ lane: Int, _ number: UInt64) {
        if server != .mainQueue { calls.append(Call(lane: lane, number: number)) }
        if server != .loop, requests.wantsHop() { blocks.append(.asap) }
    }

    private mutating func come(_ block: Block) {
        let isLoopRunning = server == .mainLoop
        switch block {
        case .asap:
            guard requests.hopCame(isLoopRunning: isLoopRunning) else { return }
            drain(0, thenIdle: false, isHop: true)
        case .idle:
            guard requests.idleHopCame(isLoopRunning: isLoopRunning) else { return }
            drain(0, thenIdle: true, isHop: false)
        }
    }

    // MARK: - Drains

    private mutating func drain(_ lane: Int, thenIdle: Bool, isHop: Bool) {
        let drain = Drain(left: [lane: waiting[lane]], thenIdle: thenIdle, isHop: isHop)
        for lane in Self.lanes { requests.passComes(to: lane) }
        guard requests.drainComes(to: lane, isEmpty: waiting[lane] == 0) else {
            return drainEnded(drain)
        }
        requests.drainBegan()
        drains.append(drain)
        post(lane)
        for lane in Self.lanes {
            let isEmpty = waiting[lane] == 0
            if let number = requests.handlersRun(lane, isEmpty: isEmpty) { ask(lane, number) }
        }
    }

    /// Takes the next post, whose handler runs until the next ``Event/proceed``.
    private mutating func post(_ lane: Int) {
        waiting[lane] -= 1
        // A drain takes no more posts than waited at its beginning. Posts that an inner drain took
        // are none of its own.
        for index in drains.indices {
            if let left = drains[index].left[lane], left > 0 {
                drains[index].left[lane] = left - 1
            }
        }
    }

    private mutating func proceed() {
        guard let drain = drains.last else { return }
        if let lane = drain.left.first(where: { $0.value > 0 && waiting[$0.key] > 0 })?.key {
            return post(lane)
        }
        drains.removeLast()
        requests.drainEnded()
        drainEnded(drain)
    }

    private mutating func drainEnded(_ drain: Drain) {
        if drain.thenIdle { return self.drain(1, thenIdle: false, isHop: false) }
        if drain.isHop, requests.wantsIdleHop(forAny: [1]) { blocks.append(.idle) }
    }

    // MARK: - Properties

    /// A lane whose posts would never be made: the posts that wait now, or a post that comes when
    /// all is quiet.
    var deafLane: Int? {
        // While a handler runs, its run loop may go on with every lane that is not empty.
        if server != .mainQueue {
            for lane in Self.lanes where waiting[lane] > 0 {
                let isCalled = calls.contains {
                    requests.isDue($0.lane, $0.number) && $0.lane == lane
                }
                if !isCalled { return lane }
            }
        }
        var world = self
        for lane in [0, 1, 1, 0] {
            world.settle()
            if let deaf = Self.lanes.first(where: { world.waiting[$0] > 0 }) { return deaf }
            world.happen(.enqueue(lane))
        }
        return nil
    }

    /// Makes the events that are on their way happen, and no others.
    private mutating func settle() {
        for _ in 0..<1000 {
            if !drains.isEmpty {
                happen(.proceed)
            } else if server != .mainQueue, !calls.isEmpty {
                happen(.call(0))
            } else if !blocks.isEmpty {
                happen(.block)
            } else {
                return
            }
        }
    }
}
