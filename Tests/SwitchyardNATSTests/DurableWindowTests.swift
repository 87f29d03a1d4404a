// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
import TestSupport
import Testing

@testable import SwitchyardNATS

/// The memory of a durable observer for the messages that it has handled.
@Suite("Windows of durable observers")
struct DurableWindowTests {
    @Test(.rule(40)) func `No notification is handled twice when its acknowledgement is lost`() {
        var window = DurableWindow()
        // The keys are as many as the server delivers without an answer.
        let keys = DurableStream.allCases.flatMap { stream in
            (1...stream.mostUnanswered).map { number in
                DurableWindow.Key(stream: stream, age: 0, sequence: UInt64(number))
            }
        }
        for key in keys {
            #expect(window.take(key, reply: "first", deliveries: 1) == .isNew)
            #expect(window.close(key, isHandled: true) == "first")
        }
        let again = keys.map { window.take($0, reply: "second", deliveries: 2) }
        #expect(again.allSatisfy { $0 == .wasHandled })
    }
}
#endif
