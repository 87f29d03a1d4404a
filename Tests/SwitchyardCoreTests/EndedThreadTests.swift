// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Synchronization
import TestSupport
import Testing

@_spi(Engine) @testable import SwitchyardCore

/// Code of the user's that ends its thread where Switchyard is in the middle of something: others
/// go on with that.
@Suite("Ended threads", .timeLimit(.minutes(5))) struct EndedThreadTests {
    private let center = MessageCenter()
    private let hand = HandDrained()

    /// An object whose deinit ends the thread.
    private final class LastWord: Sendable {
        deinit { endThisThread() }
    }

    /// A message that holds such an object, or nothing.
    private struct Parting: NotificationMessage {
        let word: LastWord?
    }

    // MARK: The end itself

    @Test(.rule(12))
    func `Everything is told of a thread's end although some of it ends the thread again`() {
        final class Told: EndsWithThread {
            let (number, log): (Int, Log<Int>)
            init(_ number: Int, _ log: Log<Int>) { (self.number, self.log) = (number, log) }
            func threadEnds() {
                log.add(number)
                if number < 3 { endThisThread() }
            }
        }
        let log = Log<Int>()
        onThreads(1) { _ in
            for number in 1...3 { ThreadEnd.notify(Told(number, log)) }
        }
        #expect(log.entries == [1, 2, 3])
    }
}
