// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

@_spi(Engine) internal import SwitchyardCore

/// The notifications of one read of a connection, posted one after the other. Those of one topic in
/// a row share one lookup of their observers. Only the reading thread uses it, while it handles the
/// bytes of that read.
struct ReceivedRun {
    /// Whether all notifications were followed when the run began: each is posted alone then.
    let isFollowed: Bool
    /// The topic of the last notification, kept so that no other is taken for it.
    private var topic: ReceivedTopic?
    /// The address of `topic`: comparing references would count them.
    private var address: UnsafeMutableRawPointer?
    private var posts = PostRun()

    init(isFollowed: Bool) { self.isFollowed = isFollowed }

    /// Ends the run.
    mutating func end() { posts.end() }

    /// Posts a message as the next of the run, and begins another run if it is of another topic, or
    /// if observers have come or gone.
    ///
    /// - Parameters:
    ///   - message: The message, kept by the caller without a count.
    ///   - topic: The message's topic, likewise.
    @inline(__always)
    mutating func post(
        _ message: Unmanaged<ReceivedMessage>, _ topic: Unmanaged<ReceivedTopic>,
        through engine: NotificationEngine
    ) {
        if address == topic.toOpaque(), engine.goesOn(posts) {
            let rest = message._withUnsafeGuaranteedRef { engine.post(borrowing: $0, in: posts) }
            if let rest { complete(message, topic, engine, after: rest) }
        } else {
            begin(message, topic, engine)
        }
    }

    @inline(never)
    private mutating func begin(
        _ message: Unmanaged<ReceivedMessage>, _ topic: Unmanaged<ReceivedTopic>,
        _ engine: NotificationEngine
    ) {
        let kept = topic.takeUnretainedValue()
        self.topic = kept
        address = topic.toOpaque()
        engine.begin(&posts, kept.topic, kept.subject)
        let message = message.takeUnretainedValue()
        if !engine.goesOn(posts) {
            _ = engine.post(borrowing: message, kept.topic, kept.subject)
        } else if let rest = engine.post(borrowing: message, in: posts) {
            engine.postRest(of: message, kept.topic, kept.subject, in: &posts, after: rest)
        }
    }

    @inline(never)
    private mutating func complete(
        _ message: Unmanaged<ReceivedMessage>, _ topic: Unmanaged<ReceivedTopic>,
        _ engine: NotificationEngine, after rest: PlainRun
    ) {
        let topic = topic.takeUnretainedValue()
        engine.postRest(
            of: message.takeUnretainedValue(), topic.topic, topic.subject, in: &posts, after: rest)
    }
}
