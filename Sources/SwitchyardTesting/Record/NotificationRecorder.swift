// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

public import Switchyard

/// Records posts or deliveries in order, each with the thread on which it came.
///
/// ```swift
/// let recorder = NotificationRecorder()
/// recorder.record(.windowClosed, from: center)
/// recorder.record(ConverterAdded.self, from: center, on: .thread(worker))
/// window.close()
/// #expect(recorder.notifications(named: .windowClosed).count == 1)
/// ```
/// A recorder records until it is dropped or stopped. One recorder may record from several centers;
/// its entries then show the order across all of them.
///
/// On the posting thread, a recorder changes nothing for the posts: it does not show in receipts,
/// and a post that nobody else hears still goes to the dead-letter hook. On another context, a
/// recorder is an observer like others: deliveries that wait for it count as queued.
public final class NotificationRecorder: Sendable {
    private struct State: Sendable {
        var entries: [Entry] = []
        var tokens: [ObservationToken] = []
    }

    /// The entries and tokens. Handlers hold the book, not the recorder, so that dropping the
    /// recorder ends the observations.
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

    /// Creates a recorder that records nothing yet.
    public init() {}

    deinit { stop() }

    /// Records notifications with a name.
    ///
    /// - Parameters:
    ///   - name: the name; nil for any.
    ///   - object: the object of the notifications; nil for any object or none.
    ///   - center: the center that posts the notifications.
    ///   - context: the context on which the notifications are recorded. By default on the posting
    ///     thread, at the moment of the post.
    ///   - fileID: the recording file, for the center's `snapshot()`; leave it out.
    ///   - line: the line in that file; leave it out.
    public func record(
        _ name: Notification.Name?, of object: Any? = nil, from center: NotificationCenter,
        on context: DeliveryContext = .poster,
        fileID: StaticString = #fileID, line: UInt = #line
    ) {
        let origin = RegistrationSite(fileID, line)
        book.keep(
            center.watch(name, of: object, on: context, origin: origin) { [book] notification in
                book.note(.notification(notification.storable))
            })
    }

    /// Records messages of a type.
    ///
    /// - Parameters:
    ///   - type: the messages to record. A `MainActorMessage` is recorded by its name.
    ///   - subject: the subject of the messages; nil for any subject or none.
    ///   - center: the center that posts the messages.
    ///   - context: the context on which the messages are recorded. By default on the posting
    ///     thread, at the moment of the post.
    ///   - fileID: the recording file, for the center's `snapshot()`; leave it out.
    ///   - line: the line in that file; leave it out.
    public func record<Message: NotificationMessage>(
        _ type: Message.Type, of subject: Message.Subject? = nil,
        from center: some MessageObserving,
        on context: DeliveryContext = .poster,
        fileID: StaticString = #fileID, line: UInt = #line
    ) {
        let origin = RegistrationSite(fileID, line)
        book.keep(
            center.watch(type, of: subject, on: context, origin: origin) { [book] message in
                book.note(.message(message))
            })
    }

    /// Records notifications with a name on the main actor; otherwise the same as
    /// ``record(_:of:from:on:fileID:line:)-(Notification.Name?,_,_,DeliveryContext,_,_)``.
    public func record(
        _ name: Notification.Name?, of object: Any? = nil, from center: NotificationCenter,
        on context: MainContext, fileID: StaticString = #fileID, line: UInt = #line
    ) {
        record(name, of: object, from: center, on: .mailbox(.main), fileID: fileID, line: line)
    }

    /// Records messages of a type on the main actor; otherwise the same as
    /// ``record(_:of:from:on:fileID:line:)-(Message.Type,_,_,DeliveryContext,_,_)``.
    public func record<Message: NotificationMessage>(
        _ type: Message.Type, of subject: Message.Subject? = nil,
        from center: some MessageObserving,
        on context: MainContext, fileID: StaticString = #fileID, line: UInt = #line
    ) {
        record(type, of: subject, from: center, on: .mailbox(.main), fileID: fileID, line: line)
    }

    /// Ends the recording. The entries stay.
    public func stop() {
        for token in book.takeTokens() { token.cancel() }
    }

    /// Removes all entries recorded so far.
    public func clear() { book.clear() }
}

// MARK: - Entries

extension NotificationRecorder {
    /// All entries, in order of recording.
    public var entries: [Entry] { book.entries }

    /// Returns the recorded notifications, in order.
    ///
    /// - Parameter name: the only name to return; nil for all names.
    public func notifications(named name: Notification.Name? = nil) -> [Notification] {
        entries.compactMap(\.notification).filter { name == nil || $0.name == name }
    }

    /// Returns the recorded messages of a type, in order.
    public func messages<Message: NotificationMessage>(of type: Message.Type) -> [Message] {
        entries.compactMap { $0.message as? Message }
    }

    /// Waits until `count` entries have been recorded since the beginning, or since ``clear()``.
    ///
    /// - Parameters:
    ///   - count: the least number of entries.
    ///   - limit: the longest time to wait for them.
    ///   - clock: the clock on which `limit` is measured.
    ///   - fileID: the waiting file, for the failure; leave it out.
    ///   - line: the line in that file; leave it out.
    /// - Returns: All entries, in order.
    /// - Throws: ``ExpectationFailure`` after `limit`, with the entries that did come;
    ///   `CancellationError` when the task is cancelled.
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
            "\(RegistrationSite(fileID, line)): expected \(count) recorded entries within \(limit); "
                + "\(entries.count) came" + (entries.isEmpty ? "" : ": " + list))
    }
}
