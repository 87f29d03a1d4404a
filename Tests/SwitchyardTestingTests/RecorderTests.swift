// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Switchyard
import SwitchyardTesting
import TestSupport
import Testing

@Suite("Recorder", .timeLimit(.minutes(5))) struct RecorderTests {
    let center = Switchyard.NotificationCenter()
    let recorder = NotificationRecorder()

    @Test
    func `A recorder records names and types of several centers in the order in which they came`() {
        let second = MessageCenter()
        recorder.record(.happened, from: center)
        recorder.record(ConverterAdded.self, from: center)
        recorder.record(ConverterAdded.self, from: second)
        center.post(name: .happened, object: nil)
        second.post(ConverterAdded(format: "1"))
        center.post(name: .other, object: nil)
        center.post(ConverterAdded(format: "2"))
        center.post(name: .happened, object: "object")
        #expect(recorder.messages(of: ConverterAdded.self).map(\.format) == ["1", "2"])
        #expect(recorder.notifications().map(\.object).map { $0 as? String } == [nil, "object"])
        #expect(recorder.notifications(named: .other).isEmpty)
        let entries = recorder.entries
        #expect(entries.map { $0.message == nil } == [true, false, false, true])
        #expect(entries[0].description.hasPrefix("\"happened\" on "))
        #expect(entries[1].description.hasPrefix("ConverterAdded(format: \"1\") on "))
    }

    @Test func `A recorder records on the posting thread, or on the context's thread`() async throws
    {
        let worker = DeliveryThread(name: "worker")
        let delivered = NotificationRecorder()
        recorder.record(.happened, from: center)
        delivered.record(.happened, from: center, on: .thread(worker))
        await onOwnThread("poster") { [center] in center.post(name: .happened, object: nil) }
        try await delivered.wait(for: 1)
        #expect(recorder.entries.map(\.threadName) == ["poster"])
        #expect(delivered.entries.map(\.threadName) == ["worker"])
        #expect(delivered.entries[0].thread === worker.thread)
    }

    @Test func `A recorder records posts at once, whatever context the center has`() {
        let worker = DeliveryThread(name: "worker")
        let center = Switchyard.NotificationCenter(delivering: .thread(worker))
        let letters = Log<String>()
        center.onDeadLetter { letters.add($0) }
        recorder.record(.happened, from: center)
        recorder.record(ConverterAdded.self, from: center)
        let receipt = center.postAndReport(name: .happened, object: nil)
        center.post(ConverterAdded(format: "RTF"))
        #expect(recorder.entries.count == 2)
        #expect(receipt.queued == 0)
        #expect(letters.entries.count == 2)
    }

    @Test @MainActor func `A recorder records on the main actor`() async throws {
        recorder.record(.happened, from: center, on: .main)
        recorder.record(ConverterAdded.self, from: center, on: .main)
        await onOwnThread("poster") { [center] in
            center.post(name: .happened, object: nil)
            center.post(ConverterAdded(format: "RTF"))
        }
        let entries = try await recorder.wait(for: 2)
        #expect(entries.map { $0.message == nil } == [true, false])
        #expect(center.snapshot().entries.map(\.context) == ["main", "main"])
    }

    @Test func `A recorder with an object or subject records only posts about it`() {
        let converter = Converter()
        recorder.record(ConverterAdded.self, of: converter, from: center)
        recorder.record(.happened, of: converter, from: center)
        center.post(ConverterAdded(format: "1"), subject: Converter())
        center.post(ConverterAdded(format: "2"), subject: converter)
        center.post(name: .happened, object: nil)
        center.post(name: .happened, object: converter)
        #expect(recorder.entries.count == 2)
    }

    @Test func `Recording changes nothing: no receipt, no dead letter is another`() {
        let letters = Log<String>()
        center.onDeadLetter { letters.add($0) }
        center.collectsStatistics = true
        recorder.record(nil, from: center)
        recorder.record(ConverterAdded.self, from: center)
        #expect(center.postAndReport(name: .happened, object: nil).reachedNobody)
        #expect(center.postAndReport(ConverterAdded()).reachedNobody)
        #expect(letters.entries.count == 2)
        #expect(recorder.entries.count == 2)
    }

    @Test func `A recording ends when the recorder is stopped or dropped`() {
        recorder.record(.happened, from: center)
        recorder.stop()
        center.post(name: .happened, object: nil)
        #expect(recorder.entries.isEmpty)
        do {
            let dropped = NotificationRecorder()
            dropped.record(.happened, from: center)
            #expect(center.snapshot().entries.count == 1)
        }
        #expect(center.snapshot().entries.isEmpty)
    }

    @Test func `Waiting counts since it was cleared, and fails with what came`() async throws {
        recorder.record(.happened, from: center)
        center.post(name: .happened, object: nil)
        recorder.clear()
        let clock = ManualClock()
        async let failed = failure {
            try await recorder.wait(for: 2, within: .seconds(1), on: clock)
        }
        center.post(name: .happened, object: nil)
        try await clock.waitForSleepers()
        clock.advanceToNextDeadline()
        let failure = try #require(await failed)
        #expect(failure.description.contains("expected 2 recorded entries"))
        #expect(failure.description.contains("1 came: \"happened\" on "))
        center.post(name: .happened, object: nil)
        #expect(try await recorder.wait(for: 2).count == 2)
    }

    @Test func `A recorder loses no post of many threads, and keeps each thread's order`() async {
        let (center, recorder) = (center, recorder)
        recorder.record(ConverterAdded.self, from: center)
        await withTaskGroup { group in
            for thread in 0..<4 {
                group.addTask {
                    await onOwnThread("poster") {
                        for number in 0..<500 {
                            center.post(ConverterAdded(format: "\(thread) \(number)"))
                        }
                    }
                }
            }
        }
        let all = recorder.messages(of: ConverterAdded.self).map(\.format)
        #expect(all.count == 2000)
        for thread in 0..<4 {
            let own = all.filter { $0.hasPrefix("\(thread) ") }
            #expect(own == (0..<500).map { "\(thread) \($0)" })
        }
    }
}

@Suite("Manual mailbox") struct ManualMailboxTests {
    let center = Switchyard.NotificationCenter()

    @Test func `A manual mailbox delivers one, some or all, and asks to be drained of the rest`() {
        let (mailbox, log) = (ManualMailbox(), Log<String>())
        let token = center.observe(ConverterAdded.self, on: mailbox.context) { log.add($0.format) }
        for number in 1...5 { center.post(ConverterAdded(format: "\(number)")) }
        #expect(mailbox.wakeUps == 1)
        #expect(mailbox.deliverNext())
        #expect(log.entries == ["1"])
        #expect(mailbox.wakeUps == 2)
        #expect(mailbox.drain(atMost: 2) == 2)
        #expect(log.entries == ["1", "2", "3"])
        #expect(mailbox.drain(atMost: 10) == 2)
        #expect(log.entries.count == 5)
        #expect(!mailbox.deliverNext())
        #expect(mailbox.drain(atMost: 0) == 0)
        #expect(mailbox.wakeUps == 3)
        token.cancel()
    }

    @Test func `A delivery that a bound has dropped takes no step`() {
        let (mailbox, log) = (ManualMailbox(), Log<String>())
        let token = center.observe(
            ConverterAdded.self, on: mailbox.context, options: .bounded(.dropOldest(above: 3))
        ) { log.add($0.format) }
        for number in 1...6 { center.post(ConverterAdded(format: "\(number)")) }
        #expect(mailbox.depth == 3)
        #expect(mailbox.deliverNext())
        #expect(log.entries == ["4"])
        token.cancel()
    }

    @Test func `A post by a handler to its own mailbox waits for the next step`() {
        let (center, mailbox, log) = (center, ManualMailbox(), Log<String>())
        let token = center.observe(ConverterAdded.self, on: mailbox.context) { message in
            log.add(message.format)
            if message.format == "first" { center.post(ConverterAdded(format: "second")) }
        }
        center.post(ConverterAdded(format: "first"))
        #expect(mailbox.drain(atMost: 10) == 1)
        #expect(log.entries == ["first"])
        #expect(mailbox.deliverNext())
        #expect(log.entries == ["first", "second"])
        token.cancel()
    }
}
