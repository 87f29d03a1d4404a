// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwitchyardCore
import TestSupport
import Testing

@Suite("Handlers that consume", .timeLimit(.minutes(5))) struct ConsumeTests {
    private struct Refused: Error {}

    private let center = MessageCenter()

    /// A handler that notes what it sees, and consumes even numbers.
    private func consumer(
        _ log: Log<String>, of subject: Item? = nil, priority: Int = 0
    ) -> ObservationToken {
        center.consume(Ping.self, of: subject, priority: priority) { ping in
            log.add("consumer \(ping.number)")
            return ping.number.isMultiple(of: 2) ? .consumed : .passed
        }
    }

    private func witness(
        _ name: String, _ log: Log<String>, of subject: Item? = nil
    ) -> ObservationToken {
        center.observe(Ping.self, of: subject) { log.add("\(name) \($0.number)") }
    }

    @Test(.rule(45)) func `A post that is consumed reaches those before, and nobody behind`() {
        let log = Log<String>()
        let tokens = [witness("before", log), consumer(log), witness("behind", log)]
        let receipt = center.postAndReport(Ping(number: 2))
        #expect(receipt.isConsumed && receipt.delivered == 2)
        #expect(log.entries == ["before 2", "consumer 2"])
        let other = center.postAndReport(Ping(number: 3))
        #expect(!other.isConsumed && other.delivered == 3)
        #expect(log.entries.suffix(3) == ["before 3", "consumer 3", "behind 3"])
        for token in tokens { token.cancel() }
    }

    @Test(.rule(45)) func `A priority puts the handler before those that were registered earlier`()
    {
        let log = Log<String>()
        let tokens = [witness("early", log), consumer(log, priority: 1)]
        #expect(center.postAndReport(Ping(number: 2)).isConsumed)
        #expect(log.entries == ["consumer 2"])
        for token in tokens { token.cancel() }
    }

    @Test(.rule(45)) func `Observers of a subject and of any stand in one order`() {
        let (log, item) = (Log<String>(), Item())
        let tokens = [
            witness("of the subject", log, of: item), consumer(log, of: item),
            witness("of any", log),
        ]
        center.post(Ping(number: 2), subject: item)
        #expect(log.entries == ["of the subject 2", "consumer 2"])
        center.post(Ping(number: 2))
        #expect(log.entries.last == "of any 2")
        for token in tokens { token.cancel() }
    }

    @Test(.rule(45)) func `Deliveries to mailboxes behind the handler are not made`() {
        let (mailbox, log) = (DeliveryMailbox(target: HandDrained()), Log<String>())
        let tokens = [
            consumer(log),
            center.observe(Ping.self, on: .mailbox(mailbox)) { _ in log.add("queued") },
        ]
        #expect(center.postAndReport(Ping(number: 2)).queued == 0)
        #expect(center.postAndReport(Ping(number: 1)).queued == 1)
        for token in tokens { token.cancel() }
    }

    @Test(.rule(31, 45)) func `A handler that throws lets the post go on`() {
        let (log, problems) = (Log<String>(), Log<String>())
        center.onProblem { problems.add("\($0.kind)") }
        let tokens = [
            center.consume(Ping.self) { _ in throw Refused() }, witness("behind", log),
        ]
        #expect(!center.postAndReport(Ping()).isConsumed)
        #expect(log.entries == ["behind 0"] && problems.entries == ["handlerThrew"])
        for token in tokens { token.cancel() }
    }

    @Test(.rule(42, 45)) func `A paused handler ends nothing, and hears what it missed`() {
        let log = Log<String>()
        let tokens = [consumer(log), witness("behind", log)]
        tokens[0].pause()
        #expect(!center.postAndReport(Ping(number: 2)).isConsumed)
        tokens[0].resume()
        #expect(log.entries == ["behind 2", "consumer 2"])
        for token in tokens { token.cancel() }
    }

    @Test(.rule(12, 45)) func `A post that waits for its handlers may be consumed as well`() throws
    {
        let log = Log<String>()
        let tokens = [consumer(log), witness("behind", log)]
        let receipt = try center.postAndWait(Ping(number: 2), timeout: .seconds(60))
        #expect(receipt.isConsumed && receipt.delivered == 1 && log.entries == ["consumer 2"])
        for token in tokens { token.cancel() }
    }

    @Test(.rule(45))
    func `In a center that delivers elsewhere, the handler hears on the posting thread`() {
        let center = MessageCenter(
            delivering: .mailbox(DeliveryMailbox(target: HandDrained())))
        let token = center.consume(Ping.self) { _ in .consumed }
        #expect(center.postAndReport(Ping()).isConsumed)
        token.cancel()
    }

    @Test(.rule(45)) func `A snapshot counts the posts that a handler consumed`() {
        let log = Log<String>()
        let tokens = [consumer(log), witness("behind", log)]
        for number in 1...4 { center.post(Ping(number: number)) }
        // A delivery that was kept during a pause can't consume its post any more.
        tokens[0].pause()
        center.post(Ping(number: 6))
        tokens[0].resume()
        #expect(center.snapshot().entries.map(\.consumed) == [2, 0])
        #expect(center.snapshot().description.contains("2 consumed"))
        for token in tokens { token.cancel() }
    }
}
