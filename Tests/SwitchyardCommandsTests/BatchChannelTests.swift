// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import TestSupport
import Testing

@testable import SwitchyardCommands

/// The channel by which one thread gives values to another.
@Suite struct BatchChannelTests {
    @Test
    func `Each value that is given is taken, once and in order, however little room there is`()
        async
    {
        for limit in [0, 1, 100, 1_000_000] {
            let channel = BatchChannel([Int](), limit: limit)
            async let taken = onOwnThread {
                var (all, batch): ([Int], [Int]) = ([], [])
                while channel.take(&batch) {
                    all += batch
                    batch.removeAll()
                }
                return all
            }
            let areGiven = await onOwnThread {
                let areGiven = (0..<20_000).allSatisfy { number in
                    channel.give { batch in
                        batch.append(number)
                        return 8
                    }
                }
                channel.end()
                return areGiven
            }
            #expect(areGiven)
            #expect(await taken == Array(0..<20_000))
        }
    }

    @Test func `The end releases a thread that gives, and no value is taken in afterwards`() async {
        let channel = BatchChannel([Int](), limit: 0)
        let begun = DispatchSemaphore(value: 0)
        async let wasGiven = onOwnThread {
            channel.give { batch in
                batch.append(1)
                begun.signal()
                return 1
            }
        }
        // The giving thread waits for room, or is about to.
        await onOwnThread {
            begun.wait()
            channel.end()
        }
        #expect(await wasGiven)
        #expect(!channel.give { _ in 1 })
        var batch: [Int] = []
        #expect(channel.take(&batch))
        #expect(batch == [1])
        batch = []
        #expect(!channel.take(&batch))
    }
}
