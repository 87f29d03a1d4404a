// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Switchyard
import SwitchyardTesting
import TestSupport
import Testing

@Suite("A default center for a test", .timeLimit(.minutes(5))) struct DefaultCenterTests {
    typealias Center = Switchyard.NotificationCenter

    @Test
    func `A test's default center reaches the body, child tasks and tasks, and ends with the body`()
        async
    {
        let center = Center()
        let process = Center.default
        await Center.withDefault(center) {
            #expect(Center.default == center)
            async let child = Center.default
            #expect(await child == center)
            #expect(await Task { Center.default }.value == center)
            let nested = Center()
            Center.withDefault(nested) { #expect(Center.default == nested) }
            #expect(Center.default == center)
        }
        #expect(Center.default == process)
        #expect(process != center)
    }

    @Test func `The synchronous form, within a task and on a thread`() async {
        let center = Center()
        let answer = Center.withDefault(center) { Center.default == center ? 42 : 0 }
        #expect(answer == 42)
        let log = Log<Bool>()
        await onOwnThread("plain") {
            Center.withDefault(center) { log.add(Center.default == center) }
            log.add(Center.default == center)
        }
        #expect(log.entries == [true, false])
    }

    @Test func `The default queue is one for the center that stands in, which does not stay`() async
    {
        let log = Log<String>()
        await onOwnThread("plain") {
            weak var kept: Center?
            let process = NotificationQueue.default
            let stranger = Notification.Name(UUID().uuidString)
            let token = Center.default.observe(stranger) { _ in log.add("process") }
            do {
                let center = Center()
                kept = center
                let token = center.observe(stranger) { _ in log.add("test") }
                Center.withDefault(center) {
                    #expect(NotificationQueue.default !== process)
                    #expect(NotificationQueue.default === NotificationQueue.default)
                    NotificationQueue.default.enqueue(
                        Notification(name: stranger), postingStyle: .now)
                }
                withExtendedLifetime(token) {}
            }
            #expect(NotificationQueue.default === process)
            NotificationQueue.default.enqueue(Notification(name: stranger), postingStyle: .now)
            #expect(kept == nil)
            token.cancel()
        }
        #expect(log.entries == ["test", "process"])
    }

    @Test func `A default queue that was first asked for in a test is none of that test's`() async {
        let log = Log<Bool>()
        await onOwnThread("plain") {
            let center = Center()
            let inTest = Center.withDefault(center) { NotificationQueue.default }
            log.add(NotificationQueue.default === inTest)
            Center.withDefault(Center()) { log.add(NotificationQueue.default === inTest) }
        }
        #expect(log.entries == [false, false])
    }

    @Test func `A test's default center does not reach threads, queues and detached tasks`() async {
        let center = Center()
        let log = Log<Bool>()
        await Center.withDefault(center) {
            await onOwnThread("other") { log.add(Center.default == center) }
            await withCheckedContinuation { continuation in
                DispatchQueue.global().async {
                    log.add(Center.default == center)
                    continuation.resume()
                }
            }
            await Task.detached { log.add(Center.default == center) }.value
        }
        #expect(log.entries == [false, false, false])
    }

    @Test func `Handlers within a post hear of it, those on another context don't`() async throws {
        let (center, worker) = (Center(), DeliveryThread(name: "worker"))
        let (inline, elsewhere) = (Log<Bool>(), Log<Bool>())
        let tokens = [
            center.observe(.happened) { _ in inline.add(Center.default == center) },
            center.observe(.happened, on: .thread(worker)) { _ in
                elsewhere.add(Center.default == center)
            },
        ]
        let recorder = NotificationRecorder()
        recorder.record(.happened, from: center, on: .thread(worker))
        try await Center.withDefault(center) {
            Center.default.post(name: .happened, object: nil)
            try await recorder.wait(for: 1)
        }
        #expect(inline.entries == [true])
        #expect(elsewhere.entries == [false])
        for token in tokens { token.cancel() }
    }

    @Test @MainActor func `The body stays on the caller's actor; errors pass through`() async {
        struct Refused: Error {}
        await #expect(throws: Refused.self) {
            try await Center.withDefault(Center()) {
                await Task.yield()
                MainActor.assertIsolated()
                throw Refused()
            }
        }
        let sync: () throws -> Void = { try Center.withDefault(Center()) { throw Refused() } }
        #expect(throws: Refused.self, performing: sync)
    }
}
