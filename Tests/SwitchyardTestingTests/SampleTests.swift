// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Switchyard
import SwitchyardTesting
import TestSupport
import Testing

extension Notification.Name {
    fileprivate static let windowClosed = Notification.Name("windowClosed")
}

/// The class that the samples in the documentation test.
private final class Workshop: Sendable {
    private let center: Switchyard.NotificationCenter
    init(center: Switchyard.NotificationCenter = .default) { self.center = center }
    func add(_ converter: Converter) { center.post(ConverterAdded(), subject: converter) }
    func refuse(_ converter: Converter) {}
    func openAll() {
        for format in ["RTF", "TXT"] { center.post(ConverterAdded(format: format)) }
    }
}

private struct Window {
    let center: Switchyard.NotificationCenter
    func close() { center.post(name: .windowClosed, object: nil) }
}

private struct SearchStarted: NotificationMessage { var text: String }

/// An actor that searches 300 ms after the last key.
private actor SearchField<Time: Clock> where Time.Duration == Duration {
    private let clock: Time
    private let center: Switchyard.NotificationCenter
    private var text = ""
    private var search: Task<Void, any Error>?

    init(clock: Time, center: Switchyard.NotificationCenter) {
        self.clock = clock
        self.center = center
    }

    func type(_ key: String) {
        text += key
        search?.cancel()
        search = Task {
            try await clock.sleep(for: .milliseconds(300))
            center.post(SearchStarted(text: text))
        }
    }
}

/// The samples of "Testing code that posts and observes", as they stand there.
@Suite("Samples", .timeLimit(.minutes(5))) struct SampleTests {
    let center = Switchyard.NotificationCenter()
    let converter = Converter()

    @Test func `Expect a post, and name the action that leads to it`() async throws {
        let (workshop, window) = (Workshop(center: center), Window(center: center))
        let message = try await center.expect(ConverterAdded.self, of: converter) {
            workshop.add(converter)
        }
        #expect(message.format == "RTF")
        let closed = try await center.expect(.windowClosed, within: .seconds(1)) { window.close() }
        #expect(closed.object == nil)
        let texts = try await center.expect(ConverterAdded.self, count: 2) { workshop.openAll() }
        #expect(texts.count == 2)
        try await center.expectNone(ConverterAdded.self) { workshop.refuse(converter) }
    }

    @Test func `Record where many things happen`() async throws {
        let (workshop, window) = (Workshop(center: center), Window(center: center))
        let worker = DeliveryThread(name: "worker")
        let recorder = NotificationRecorder()
        recorder.record(.windowClosed, from: center)
        recorder.record(ConverterAdded.self, from: center, on: .thread(worker))
        window.close()
        workshop.add(converter)
        try await recorder.wait(for: 2)
        #expect(recorder.notifications(named: .windowClosed).count == 1)
        #expect(recorder.entries.last?.threadName == "worker")
    }

    @Test func `Give each test a center of its own`() async throws {
        let center = NotificationCenter()
        try await NotificationCenter.withDefault(center) {
            try await center.expect(ConverterAdded.self) { Workshop().add(converter) }
        }
    }

    @Test func `Find observations that outlive their object`() async throws {
        try await expectNoLeaks(in: center) {
            let window = Window(center: center)
            window.close()
        }
    }

    @Test func `Let time pass by hand`() async throws {
        let clock = ManualClock()
        let search = SearchField(clock: clock, center: center)
        await search.type("a")
        try await clock.waitForSleepers()
        clock.advance(by: .milliseconds(299))
        #expect(clock.sleepers == 1)
        let started = try await center.expect(SearchStarted.self, within: patience) {
            clock.advance(by: .milliseconds(1))
        }
        #expect(started.text == "a")
    }

    @Test func `Deliver by hand`() {
        let workshop = Workshop(center: center)
        let mailbox = ManualMailbox()
        let recorder = NotificationRecorder()
        recorder.record(ConverterAdded.self, from: center, on: mailbox.context)
        workshop.openAll()
        #expect(mailbox.depth == 2)
        mailbox.deliverNext()
        #expect(recorder.messages(of: ConverterAdded.self).map(\.format) == ["RTF"])
        recorder.stop()
        mailbox.drain()
        #expect(recorder.entries.count == 1)
    }
}
