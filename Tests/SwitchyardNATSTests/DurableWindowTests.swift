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

    @Test(.rule(40))
    func `A message that comes again while its handler runs is answered for when it is given up`() {
        var window = DurableWindow()
        let key = key(.kept, 7, at: 1)
        #expect(window.take(key, reply: "first", deliveries: 1) == .isNew)
        // The connection breaks.
        window.pause()
        #expect(window.take(key, reply: "second", deliveries: 2) == .waits)
        #expect(window.leave(key) == "second")
        #expect(window.take(key, reply: "third", deliveries: 3) == .isNew)
        window.pause()
        #expect(window.leave(key) == nil)
    }

    @Test(.rule(40)) func `Numbers of a server's answers that can't be are limited`() {
        let most = 1 << 53
        let consumer = [
            "delivered": ["stream_seq": -1, "consumer_seq": Int.max],
            "ack_floor": ["stream_seq": Int.min],
        ]
        let progress = DurableProgress(consumer)
        #expect(progress.position == 0 && progress.floor == 0 && progress.delivered == most)
        let stream = ["state": ["last_seq": UInt64.max]]
        #expect(StreamNumbers.last(stream) == UInt64(most))
        #expect(StreamNumbers.place(["delivered": ["stream_seq": UInt64.max]]) == UInt64(most))
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
