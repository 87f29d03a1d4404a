// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
import Testing

@testable import SwitchyardNATS

/// Acknowledgements of a stream, and refusals among them.
@Suite("Acknowledgements of streams") struct StreamAckTests {
    @Test func `Refused posts are no gap in a stream's acknowledgements`() {
        var acks = StreamAcks()
        acks.begin(from: 1)
        // Five posts were sent, and the second and third refused.
        var isLoss = acks.receive(1, nil)
        acks.refuse(2, upTo: 5)
        isLoss = acks.receive(4, nil) || isLoss
        #expect(!isLoss && acks.unreported == 0 && acks.refused == 0)
        // One refusal is handled late, and one is of no post that was sent.
        isLoss = acks.receive(6, nil)
        #expect(isLoss && acks.unreported == 1)
        acks.refuse(1, upTo: 6)
        var isKept = acks.settleFlush()
        #expect(isKept && acks.unreported == 0)
        acks.refuse(1, upTo: 6)
        #expect(acks.refused == 0)
        // A refusal of the stream itself counts.
        isLoss = acks.receive(7, "it is full")
        #expect(isLoss && acks.unreported == 1)
        acks.refuse(1, upTo: 8)
        acks.giveUp(before: 10, "the connection broke")
        isKept = acks.settleFlush()
        let unreported = acks.takeUnreported()
        #expect(!isKept && unreported?.count == 2)
    }

    @Test func `A refusal that overtakes acknowledgements says nothing of those before it`() {
        var acks = StreamAcks()
        acks.begin(from: 1)
        // A stream with several servers refuses at once, and acknowledges when all of them have a
        // post.
        var isLoss = acks.receive(4, "it is too long")
        #expect(isLoss && acks.unreported == 1 && acks.next == 1)
        isLoss = acks.receive(4, "it is too long")
        #expect(!isLoss && acks.unreported == 1)
        for number: UInt64 in [1, 2, 3] { _ = acks.receive(number, nil) }
        #expect(acks.unreported == 1 && acks.next == 5)
        // The sixth had no answer, and the seventh was refused early: each counts once.
        _ = acks.receive(7, "it is too long")
        _ = acks.receive(5, nil)
        _ = acks.receive(9, nil)
        let unreported = acks.takeUnreported()
        #expect(unreported?.count == 4 && acks.next == 10)
        _ = acks.receive(12, "it is too long")
        #expect(acks.answered == 1)
        acks.giveUp(before: 12, "the connection broke")
        #expect(acks.unreported == 3 && acks.next == 13 && acks.answered == 0)
    }

    @Test func `Two answers with one number, which anybody may send, count once`() {
        var acks = StreamAcks()
        acks.begin(from: 5)
        _ = acks.receive(7, "forged")
        _ = acks.receive(7, nil)
        #expect(acks.next == 8 && acks.answered == 0)
        let isLoss = acks.receive(8, nil)
        #expect(!isLoss && acks.next == 9)
        // The forged refusal, and the two that had no answer.
        #expect(acks.unreported == 3)
        _ = acks.receive(11, "forged")
        acks.begin(from: 11)
        #expect(acks.next == 12 && acks.answered == 0)
    }
}
#endif
