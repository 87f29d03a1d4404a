// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if Tracing
import Switchyard
import SwitchyardCore
import SwitchyardTesting
import SwitchyardTracing
import TestSupport
import Testing
import Tracing

// Nothing but bits, which a mailbox would keep without a parcel.
private struct Ping: NotificationMessage { var number = 0 }
private struct Text: NotificationMessage { var text = "a text on the heap, not in the message" }

@Suite("The context of the posting task") struct ContextTests {
    private let center = MessageCenter()
    private let requests = Log<String?>()

    @Test func `A context reaches a handler on another thread`() {
        center.startTracing()
        let worker = DeliveryThread(name: "worker")
        let tokens = [
            center.observe(Ping.self, on: .thread(worker)) { [requests] _ in
                requests.add(ServiceContext.current?.request)
            },
            center.observe(Text.self, on: .thread(worker)) { [requests] _ in
                requests.add(ServiceContext.current?.request)
            },
        ]
        ServiceContext.inRequest("first") { center.post(Ping()) }
        center.post(Ping())
        ServiceContext.inRequest("second") { center.post(Text()) }
        worker.stop()
        worker.join()
        #expect(requests.entries == ["first", nil, "second"])
        for token in tokens { token.cancel() }
    }

    @Test func `A context reaches an async handler`() async {
        center.startTracing()
        let token = center.observe(Ping.self) { [requests] (_: Ping) async in
            await Task.yield()
            requests.add(ServiceContext.current?.request)
        }
        ServiceContext.inRequest("async") { center.post(Ping()) }
        #expect(await requests.arrival(of: 1) == ["async"])
        token.cancel()
    }

    @Test func `A context reaches observers of names`() {
        let center = Switchyard.NotificationCenter()
        center.startTracing()
        let mailbox = ManualMailbox()
        let token = center.observe(Notification.Name("saved"), on: mailbox.context) {
            [requests] _ in requests.add(ServiceContext.current?.request)
        }
        ServiceContext.inRequest("named") { center.post(name: .init("saved"), object: nil) }
        mailbox.drain()
        #expect(requests.entries == ["named"])
        token.cancel()
    }

    @Test func `A context ends with the handler`() {
        center.startTracing()
        let mailbox = ManualMailbox()
        let token = center.observe(Ping.self, on: mailbox.context) { _ in }
        ServiceContext.inRequest("over") { center.post(Ping()) }
        mailbox.drain()
        #expect(ServiceContext.current == nil)
        token.cancel()
    }

    @Test func `A post without a context is heard without one, wherever its handler is called`() {
        center.startTracing()
        let (mailbox, outer) = (ManualMailbox(), ManualMailbox())
        let tokens = [
            center.observe(Ping.self, on: mailbox.context) { [requests] _ in
                requests.add(ServiceContext.current?.request)
            },
            // A handler that lets others run, as a nested loop does.
            center.observe(Text.self, on: outer.context) { [requests] _ in
                mailbox.drain()
                requests.add(ServiceContext.current?.request)
            },
        ]
        center.post(Ping())
        ServiceContext.inRequest("around") { mailbox.drain() }
        center.post(Ping())
        ServiceContext.inRequest("outer") { center.post(Text()) }
        outer.drain()
        #expect(requests.entries == [nil, nil, "outer"])
        for token in tokens { token.cancel() }
    }

    @Test
    func `A delivery that a pace puts off, or a bound keeps, has the context of its own post`() {
        center.startTracing()
        let mailbox = ManualMailbox()
        let token = center.observe(
            Text.self, on: mailbox.context, options: .queued.bounded(.dropOldest(above: 2))
        ) { [requests] _ in requests.add(ServiceContext.current?.request) }
        for request in ["a", "b", "c", "d"] {
            ServiceContext.inRequest(request) { center.post(Text()) }
        }
        mailbox.drain()
        #expect(requests.entries == ["c", "d"])
        token.cancel()
    }

    @Test func `A center that was not told to trace brings no context`() {
        let mailbox = ManualMailbox()
        let token = center.observe(Ping.self, on: mailbox.context) { [requests] _ in
            requests.add(ServiceContext.current?.request)
        }
        ServiceContext.inRequest("first") { center.post(Ping()) }
        center.startTracing()
        ServiceContext.inRequest("second") { center.post(Ping()) }
        center.stopTracing()
        ServiceContext.inRequest("third") { center.post(Ping()) }
        mailbox.drain()
        #expect(requests.entries == [nil, "second", nil])
        token.cancel()
    }

    @Test(.rule(12)) func `A post that waits brings its context`() throws {
        center.startTracing()
        let worker = DeliveryThread(name: "worker")
        let token = center.observe(Ping.self, on: .thread(worker)) { [requests] _ in
            requests.add(ServiceContext.current?.request)
        }
        try ServiceContext.inRequest("waiting") {
            try center.postAndWait(Ping(), timeout: .seconds(60))
        }
        #expect(requests.entries == ["waiting"])
        token.cancel()
        worker.stop()
    }
}
#endif
