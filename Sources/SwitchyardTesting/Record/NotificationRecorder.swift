// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

public import Switchyard

/// Notes down what is posted, or delivered, in order, with the thread on which it came.
///
/// ```swift
/// let recorder = NotificationRecorder()
/// recorder.record(.windowClosed, from: center)
/// recorder.record(ConverterAdded.self, from: center, on: .thread(worker))
/// window.close()
/// #expect(recorder.notifications(named: .windowClosed).count == 1)
/// ```
/// It records until it is dropped or stopped. One recorder may record from several centers, and then
/// tells in which order what came there.
///
/// On the posting thread, a recorder changes nothing of what it records: it does not show in
/// receipts, and a post that only it hears still goes to the dead-letter hook. On another context it
/// is an observer like others: what waits for it counts as queued.
public final class NotificationRecorder: Sendable {
    private struct State: Sendable {
        var entries: [Entry] = []
        var tokens: [ObservationToken] = []
    }

    /// What handlers hold: not the recorder, so that dropping that ends them.
    private final class Book: Sendable {
        private let state = Guarded(State())
        let tally = Tally()

        var entries: [Entry] { state.withLock { $0 }.entries }

        func note(_ content: Entry.Content) {
            let entry = Entry(content)
            state.withLock { $0.entries.append(entry) }
            tally.add(1)
        }

        func keep(_ token: ObservationToken) { state.withLock { $0.tokens.append(token) } }

        func takeTokens() -> [ObservationToken] {
            state.withLock { state in
                defer { state.tokens = [] }
                return state.tokens
            }
        }

        func clear() {
            let old = state.withLock { state in
                defer { state.entries = [] }
                return State(entries: state.entries)
            }
            tally.add(-old.entries.count)
        }
    }

    private let book = Book()

    /// A recorder that records nothing yet.
    public init() {}

    deinit { stop() }

    /// Records notifications of a name.
    ///
    /// - Parameters:
    ///   - name: the name; nil for any.
    ///   - object: what they must be about; nil for anything or nothing.
    ///   - center: where they are posted.
    ///   - context: where they are noted down: on the posting thread, when they are posted, unless
    ///     you say otherwise.
    ///   - fileID: the recording file, for `snapshot()`; leave it out.
    ///   - line: the line in that file; leave it out.
    public func record(
        _ name: Notification.Name?, of object: Any? = nil, from center: NotificationCenter,
        on context: DeliveryContext = .standard,
        fileID: StaticString = #fileID, line: UInt = #line
    ) {
        let origin = RegistrationPlace(fileID, line)
        book.keep(
            center.watch(name, of: object, on: context, origin: origin) { [book] notification in
                book.note(.notification(notification.storable))
            })
    }

    /// Records messages of a type.
    ///
    /// - Parameters:
    ///   - type: the messages. A `MainActorMessage` is recorded by its name.
    ///   - subject: what they must be about; nil for anything or nothing.
    ///   - center: where they are posted.
    ///   - context: where they are noted down: on the posting thread, when they are posted, unless
    ///     you say otherwise.
    ///   - fileID: the recording file, for `snapshot()`; leave it out.
    ///   - line: the line in that file; leave it out.
    public func record<Message: NotificationMessage>(
        _ type: Message.Type, of subject: Message.Subject? = nil,
        from center: some MessageObserving,
        on context: DeliveryContext = .standard,
        fileID: StaticString = #fileID, line: UInt = #line
    ) {
        let origin = RegistrationPlace(fileID, line)
        book.keep(
            center.watch(type, of: subject, on: context, origin: origin) { [book] message in
                book.note(.message(message))
            })
    }

    /// Records notifications of a name on the main actor; otherwise as
    /// ``record(_:of:from:on:fileID:line:)-(Notification.Name?,_,_,DeliveryContext,_,_)``.
    public func record(
        _ name: Notification.Name?, of object: Any? = nil, from center: NotificationCenter,
        on context: MainContext, fileID: StaticString = #fileID, line: UInt = #line
    ) {
        record(name, of: object, from: center, on: .mailbox(.main), fileID: fileID, line: line)
    }

    /// Records messages of a type on the main actor; otherwise as
    /// ``record(_:of:from:on:fileID:line:)-(Message.Type,_,_,DeliveryContext,_,_)``.
    public func record<Message: NotificationMessage>(
        _ type: Message.Type, of subject: Message.Subject? = nil,
        from center: some MessageObserving,
        on context: MainContext, fileID: StaticString = #fileID, line: UInt = #line
    ) {
        record(type, of: subject, from: center, on: .mailbox(.main), fileID: fileID, line: line)
    }

    /// Ends the recording. What was noted stays.
    public func stop() {
        for token in book.takeTokens() { token.cancel() }
    }

    /// Forgets what was noted so far.
    public func clear() { book.clear() }
}

// MARK: - What came

extension NotificationRecorder {
    /// What came, in order.
    public var entries: [Entry] { book.entries }

    /// The notifications that came, in order.
    ///
    /// - Parameter name: those of this name only; nil for all.
    public func notifications(named name: Notification.Name? = nil) -> [Notification] {
        entries.compactMap(\.notification).filter { name == nil || $0.name == name }
    }

    /// The messages of a type that came, in order.
    public func messages<Message: NotificationMessage>(of type: Message.Type) -> [Message] {
        entries.compactMap { $0.message as? Message }
    }

    /// Waits until so much has come since the beginning, or since ``clear()``.
    ///
    /// - Parameters:
    ///   - count: how many entries at least.
    ///   - limit: how long to wait for them at most.
    ///   - clock: the clock on which `limit` is measured.
    ///   - fileID: the waiting file, for the failure; leave it out.
    ///   - line: the line in that file; leave it out.
    /// - Returns: What came, in order.
    /// - Throws: ``ExpectationFailure`` after `limit`, with what did come; `CancellationError` when
    ///   the task is cancelled.
    @discardableResult
    public func wait(
        for count: Int, within limit: Duration = .seconds(10),
        on clock: any Clock<Duration> = ContinuousClock(),
        fileID: StaticString = #fileID, line: UInt = #line
    ) async throws -> [Entry] {
        if try await book.tally.wait(for: count, within: limit, on: clock) { return entries }
        let entries = entries
        let list = entries.map(\.description).joined(separator: "; ")
        throw ExpectationFailure(
            .timedOut,
            "\(RegistrationPlace(fileID, line)): expected \(count) recorded entries within \(limit); "
                + "\(entries.count) came" + (entries.isEmpty ? "" : ": " + list))
    }
}
