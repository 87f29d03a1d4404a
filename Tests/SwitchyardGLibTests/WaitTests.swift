// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if GLib
import SwitchyardCore
import SwitchyardGLib
import TestSupport
import Testing

private struct Ping: NotificationMessage {}
private struct Ask: NotificationMessage {}

@Suite("Posts that wait for GLib's main contexts", .timeLimit(.minutes(5))) struct GLibWaitTests {
    private let center = MessageCenter()
    private let limit = Duration.seconds(240)

    @Test(.rule(12)) func `A post that waits returns when the handler on the loop has returned`()
        async throws
    {
        let (loop, center, heard, limit) = (RunningLoop(), center, Log<Int>(), limit)
        defer { loop.stop() }
        let token = center.observe(Ping.self, on: .glib(loop.context)) { _ in heard.add(1) }
        try await onOwnThread {
            try center.postAndWait(Ping(), timeout: limit)
            #expect(heard.entries == [1])
        }
        token.cancel()
    }

    @Test(.rule(12)) func `A post that waits on the loop's own thread calls the handler inside`()
        async throws
    {
        let (loop, center, heard, limit) = (RunningLoop(), center, Log<String>(), limit)
        defer { loop.stop() }
        let token = center.observe(Ping.self, on: .glib(loop.context)) { _ in heard.add("handler") }
        await loop.performAndWait {
            #expect(throws: Never.self) { try center.postAndWait(Ping(), timeout: limit) }
            heard.add("returned")
        }
        #expect(heard.entries == ["handler", "returned"])
        token.cancel()
    }

    @Test(.rule(12)) func `A cycle through the loop's own code is found, and names the loop`()
        async throws
    {
        let (loop, center, limit) = (RunningLoop(), center, limit)
        defer { loop.stop() }
        let errors = Log<PostWaitError>()
        let token = center.observe(Ping.self, on: .glib(loop.context)) { _ in }
        let thread = try PollableMailbox(label: "thread")
        let asked = center.observe(Ask.self, on: .mailbox(thread)) { _ in
            do throws(PostWaitError) {
                try center.postAndWait(Ping(), timeout: limit)
            } catch {
                errors.add(error)
            }
        }
        // The loop's own code waits for the thread, whose handler waits for the loop. The wait that
        // begins last closes the cycle.
        async let ended: Void = loop.performAndWait {
            do throws(PostWaitError) {
                try center.postAndWait(Ask(), timeout: limit)
            } catch {
                errors.add(error)
            }
        }
        await onOwnThread { _ = thread.waitAndDrain(timeout: limit) }
        await ended
        #expect(errors.entries.map(\.code) == [.cycle])
        #expect(errors.entries.allSatisfy { "\($0)".contains("GLib main context") })
        for token in [token, asked] { token.cancel() }
    }

    @Test(.rule(12)) func `A thread that ran the loop before may wait for one that runs it now`()
        async throws
    {
        let (context, center, limit) = (ContextByHand(), center, limit)
        let (waits, ended) = (Gate(), Gate())
        let token = center.observe(Ping.self, on: .glib(context.context)) { _ in }
        let thread = try PollableMailbox(label: "thread")
        let asked = center.observe(Ask.self, on: .mailbox(thread)) { _ in
            waits.open()
            try center.postAndWait(Ping(), timeout: limit)
        }
        async let asking: Void = onOwnThread {
            context.turn()
            try center.postAndWait(Ask(), timeout: limit)
        }
        async let answering: Void = onOwnThread { _ = thread.waitAndDrain(timeout: limit) }
        // The loop begins to run again when both of them wait.
        async let running: Void = onOwnThread {
            waits.wait()
            while !ended.isOpen { context.turn(waits: true) }
        }
        try await asking
        ended.open()
        context.wakeUp()
        _ = await (answering, running)
        for token in [token, asked] { token.cancel() }
    }
}
#endif
