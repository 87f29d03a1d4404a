// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if OpenCombine
import OpenCombine
import Switchyard
import SwitchyardOpenCombine
import Synchronization
import TestSupport
import Testing

import class Switchyard.NotificationCenter

extension Notification.Name {
    fileprivate static let added = Notification.Name("added")
    fileprivate static let removed = Notification.Name("removed")
}

private final class Page: Sendable {}

/// The number in the `userInfo` of a notification.
private func number(_ notification: Notification) -> Int {
    notification.userInfo?["number"] as? Int ?? -1
}

/// Calls that must not overlap.
private final class Calls: Sendable {
    private let underWay = Atomic<Int>(0)
    private let overlapped = Atomic<Bool>(false)

    func begin() {
        if underWay.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue > 1 {
            overlapped.store(true, ordering: .relaxed)
        }
    }

    func end() { underWay.wrappingSubtract(1, ordering: .sequentiallyConsistent) }

    var haveOverlapped: Bool { overlapped.load(ordering: .relaxed) }
}

@Suite("Publishers of notifications", .timeLimit(.minutes(5))) struct PublisherTests {
    let center = NotificationCenter()

    private func post(_ number: Int, object: Any? = nil) {
        center.post(name: .added, object: object, userInfo: ["number": number])
    }

    private func subscribe(
        _ first: Subscribers.Demand, object: Any? = nil,
        onValue: @escaping (Int) -> Subscribers.Demand = { _ in .none }
    ) -> ControlledSubscriber<Int> {
        let subscriber = ControlledSubscriber<Int>(first, onValue: onValue)
        center.publisher(for: .added, object: object).map(number).subscribe(subscriber)
        return subscriber
    }

    // MARK: - Matching

    @Test func `A sink hears notifications of its name until it is cancelled`() {
        let log = Log<Int>()
        let sink = center.publisher(for: .added).sink { log.add(number($0)) }
        post(1)
        center.post(name: .removed, object: nil)
        post(2)
        #expect(log.entries == [1, 2])
        sink.cancel()
        post(3)
        #expect(log.entries == [1, 2])
        #expect(center.snapshot().entries.isEmpty)
    }

    @Test func `An object is matched by identity, a value by equality`() {
        let (page, other) = (Page(), Page())
        let instances = subscribe(.unlimited, object: page)
        let values = subscribe(.unlimited, object: "title")
        post(1, object: page)
        post(2, object: other)
        post(3, object: "ti" + "tle")
        post(4)
        #expect(instances.log.entries == [1])
        #expect(values.log.entries == [3])
    }

    @Test func `An AnyObject compiles as it does with Combine`() {
        let page: AnyObject? = Page()
        let publisher = NotificationCenter.Publisher(center: center, name: .added, object: page)
        let log = Log<Int>()
        let sink = publisher.sink { log.add(number($0)) }
        post(1, object: page)
        post(2)
        #expect(log.entries == [1])
        sink.cancel()
    }

    @Test func `Publishers are equal if center, name, object and context are`() {
        let page = Page()
        let publisher = center.publisher(for: .added, object: page)
        #expect(publisher == center.publisher(for: .added, object: page))
        #expect(
            publisher == NotificationCenter.Publisher(center: center, name: .added, object: page))
        #expect(publisher != center.publisher(for: .added, object: Page()))
        #expect(publisher != center.publisher(for: .added))
        #expect(publisher != center.publisher(for: .removed, object: page))
        #expect(publisher != NotificationCenter().publisher(for: .added, object: page))
        #expect(publisher != center.publisher(for: .added, of: page, on: .main))
        let title = center.publisher(for: .added, object: "title")
        #expect(title == center.publisher(for: .added, object: "ti" + "tle"))
    }

    // MARK: - Demand

    @Test func `A publisher emits only as many notifications as the subscriber asked for`() {
        let subscriber = subscribe(.max(2))
        for number in 1...5 { post(number) }
        #expect(subscriber.log.entries == [1, 2])
        subscriber.subscription?.request(.max(1))
        for number in 6...8 { post(number) }
        #expect(subscriber.log.entries == [1, 2, 6])
    }

    @Test func `A notification without demand is not kept`() {
        let subscriber = subscribe(.none)
        post(1)
        subscriber.subscription?.request(.unlimited)
        #expect(subscriber.log.entries == [])
        post(2)
        #expect(subscriber.log.entries == [2])
    }

    @Test func `Demand that a subscriber returns is added`() {
        let subscriber = subscribe(.max(1)) { $0 < 3 ? .max(1) : .none }
        for number in 1...5 { post(number) }
        #expect(subscriber.log.entries == [1, 2, 3])
    }

    // MARK: - Posts and cancelling inside

    @Test func `A post of the subscriber is emitted before it returns`() {
        let log = Log<String>()
        let sink = center.publisher(for: .added).sink { notification in
            log.add("begin \(number(notification))")
            if number(notification) < 3 { post(number(notification) + 1) }
            log.add("end \(number(notification))")
        }
        post(1)
        #expect(log.entries == ["begin 1", "begin 2", "begin 3", "end 3", "end 2", "end 1"])
        sink.cancel()
    }

    @Test func `A subscriber may cancel while it receives`() {
        let log = Log<Int>()
        var sink: AnyCancellable?
        sink = center.publisher(for: .added).sink { notification in
            log.add(number(notification))
            sink?.cancel()
        }
        post(1)
        post(2)
        #expect(log.entries == [1])
        sink = nil
    }

    @Test func `A subscription that is cancelled twice, and asked for more, stays ended`() {
        let subscriber = subscribe(.unlimited)
        subscriber.subscription?.cancel()
        subscriber.subscription?.cancel()
        subscriber.subscription?.request(.unlimited)
        post(1)
        #expect(subscriber.log.entries == [])
    }

    // MARK: - Lifetimes

    @Test func `A subscription that is released without cancelling ends`() {
        // No operator stands between: an operator holds its upstream subscription.
        let subscriber = ControlledSubscriber<Notification.Name>()
        center.publisher(for: .added).map(\.name).subscribe(subscriber)
        #expect(center.snapshot().entries.count == 1)
        subscriber.forget()
        #expect(center.snapshot().entries.isEmpty)
    }

    @Test func `A cancelled subscription leaves nothing behind`() {
        weak var captured: Page?
        do {
            let page = Page()
            captured = page
            let sink = center.publisher(for: .added).sink { [page] _ in _ = page }
            post(1)
            #expect(captured != nil)
            sink.cancel()
        }
        #expect(captured == nil)
    }

    @Test func `A subscription keeps the center until it is cancelled`() {
        weak var center: NotificationCenter?
        let log = Log<Int>()
        let sink: AnyCancellable
        do {
            let made = NotificationCenter()
            center = made
            sink = made.publisher(for: .added).map(number).sink { log.add($0) }
        }
        center?.post(name: .added, object: nil, userInfo: ["number": 1])
        #expect(log.entries == [1])
        sink.cancel()
        #expect(center == nil)
    }

    @Test func `A subscription does not keep the object`() {
        let subscriber = ControlledSubscriber<Int>()
        weak var object: Page?
        do {
            let page = Page()
            object = page
            center.publisher(for: .added, object: page).map(number).subscribe(subscriber)
            post(1, object: page)
        }
        #expect(object == nil)
        #expect(subscriber.log.entries == [1])
    }

    // MARK: - Contexts

    @Test func `A publisher with a context emits there, in order`() {
        let worker = DeliveryThread(name: "worker")
        let log = Log<String>()
        let sink = center.publisher(for: .added, on: .thread(worker)).sink { notification in
            log.add("\(number(notification)) on \(Thread.current === worker.thread)")
        }
        for number in 0..<100 { post(number) }
        worker.stop()
        worker.join()
        #expect(log.entries == (0..<100).map { "\($0) on true" })
        sink.cancel()
    }

    @Test @MainActor func `A publisher on main emits on the main actor`() async {
        let log = Log<Int>()
        let sink = center.publisher(for: .added, on: .main).sink { notification in
            MainActor.assertIsolated()
            log.add(number(notification))
        }
        await onOwnThread { [center] in
            center.post(name: .added, object: nil, userInfo: ["number": 1])
        }
        #expect(await log.arrival(of: 1) == [1])
        sink.cancel()
    }

    // MARK: - Several threads

    @Test func `A subscriber gets one value at a time when several threads post`() async {
        let (calls, total) = (Calls(), Log<Int>())
        let sink = center.publisher(for: .added).sink { notification in
            calls.begin()
            total.add(number(notification))
            calls.end()
        }
        await withTaskGroup { group in
            for thread in 0..<4 {
                group.addTask { [center] in
                    await onOwnThread {
                        for number in 0..<2000 {
                            center.post(
                                name: .added, object: nil,
                                userInfo: ["number": thread * 10_000 + number])
                        }
                    }
                }
            }
        }
        #expect(!calls.haveOverlapped)
        let heard = total.wait(for: 8000)
        #expect(heard.count == 8000)
        for thread in 0..<4 {
            #expect(heard.filter { $0 / 10_000 == thread }.map { $0 % 10_000 } == Array(0..<2000))
        }
        sink.cancel()
    }

    @Test func `A post does not wait for a subscriber that another thread is calling`() async {
        let gate = Gate()
        let log = Log<Int>()
        let sink = center.publisher(for: .added).sink { notification in
            log.add(number(notification))
            if number(notification) == 1 { gate.wait() }
        }
        async let first: Void = onOwnThread { [center] in
            center.post(name: .added, object: nil, userInfo: ["number": 1])
        }
        _ = await log.arrival(of: 1)
        await onOwnThread { [center] in
            center.post(name: .added, object: nil, userInfo: ["number": 2])
        }
        #expect(log.entries == [1])
        gate.open()
        await first
        #expect(log.entries == [1, 2])
        sink.cancel()
    }

    @Test func `A subscriber that ends its thread leaves the emitting to others`() async {
        let (gate, log) = (Gate(), Log<Int>())
        let sink = center.publisher(for: .added).sink { notification in
            log.add(number(notification))
            if number(notification) > 1 { return }
            gate.wait()
            Thread.exit()
        }
        let first = Thread { [center] in
            center.post(name: .added, object: nil, userInfo: ["number": 1])
        }
        first.start()
        _ = await log.arrival(of: 1)
        post(2)
        gate.open()
        #expect(await log.arrival(of: 2) == [1, 2])
        post(3)
        #expect(await log.arrival(of: 3) == [1, 2, 3])
        sink.cancel()
    }
}
#endif
