// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
import TestSupport
import Testing

@testable import SwitchyardNATS

/// The memory of a durable observer for the messages that it has handled.
@Suite("Windows of durable observers")
struct DurableWindowTests {
    private func key(_ stream: DurableStream, _ number: Int, at time: UInt64) -> DurableWindow.Key {
        DurableWindow.Key(stream: stream, age: 0, sequence: UInt64(number), time: time)
    }

    @Test(.rule(40)) func `No notification is handled twice when its acknowledgement is lost`() {
        var window = DurableWindow()
        // The keys are as many as the server delivers without an answer.
        let keys = DurableStream.allCases.flatMap { stream in
            (1...stream.mostUnanswered).map { number in
                key(stream, number, at: 1)
            }
        }
        for key in keys {
            #expect(window.take(key, reply: "first", deliveries: 1) == .isNew)
            #expect(window.close(key, isHandled: true) == "first")
        }
        let again = keys.map { window.take($0, reply: "second", deliveries: 2) }
        #expect(again.allSatisfy { $0 == .wasHandled })
    }

    /// A server that was killed may give the numbers of handled messages to new ones.
    @Test(.rule(40)) func `A new notification with the number of a handled one is handled`() {
        var window = DurableWindow()
        let first = key(.kept, 7, at: 1)
        #expect(window.take(first, reply: "first", deliveries: 1) == .isNew)
        #expect(window.close(first, isHandled: true) == "first")
        let second = key(.kept, 7, at: 2)
        #expect(window.take(second, reply: "second", deliveries: 1) == .isNew)
        #expect(window.close(second, isHandled: true) == "second")
        #expect(window.take(first, reply: "third", deliveries: 2) == .wasHandled)
    }
}
#endif
