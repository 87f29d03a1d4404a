// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Synchronization

/// One post that is traced, while its thread makes it.
struct PostTrace {
    /// The calling thread's. Not retained: rings are never freed.
    private let ring: Unmanaged<TraceRing>
    /// The post's number.
    let number: UInt64
    /// The traced post that the thread was inside before.
    private let outer: UInt64
    /// The time of the post's last event.
    private var last: UInt64
    /// Whether the post was sent to another process.
    private var wasSent = false

    /// Begins to trace a post, if it is its turn.
    ///
    /// Whole trees of posts are traced: one that is made inside a handler is traced if the post is for
    /// which the handler was called.
    static func begin(_ topic: Topic) -> PostTrace? {
        ringOfNext.map { next(topic, in: $0) }
    }

    /// The calling thread's ring if its next post is traced; nil if it is not its turn. Counts the post.
    @inline(__always)
    static var ringOfNext: Unmanaged<TraceRing>? {
        guard let ring = TraceRing.current else { return nil }
        return ring._withUnsafeGuaranteedRef { ring in
            ring.renew()
            return ring.isNext()
        } ? ring : nil
    }

    /// The trace of a post in the calling thread's ring: that of its way from or to another process, or a
    /// new one.
    @inline(__always)
    static func next(_ topic: Topic, in ring: Unmanaged<TraceRing>) -> PostTrace {
        let outer = ring._withUnsafeGuaranteedRef { $0.own.pointee.currentPost }
        // A trace that goes on is one that the thread is inside.
        if outer != 0 { return next(topic, in: ring, within: outer) }
        return PostTrace(topic, in: ring, weight: UInt16(TraceSampling.interval))
    }

    @inline(never)
    private static func next(
        _ topic: Topic, in ring: Unmanaged<TraceRing>, within outer: UInt64
    ) -> PostTrace {
        ring._withUnsafeGuaranteedRef { $0.own.pointee.carried.take() }
            ?? PostTrace(topic, in: ring, within: outer)
    }

    /// Begins to trace a post in the calling thread's ring.
    ///
    /// - Parameters:
    ///   - weight: the number of posts that it stands for.
    ///   - outer: the traced post that the thread is inside; 0: none.
    ///   - isFromHere: whether this process made the post.
    @inline(__always)
    init(
        _ topic: Topic, in ring: Unmanaged<TraceRing>, weight: UInt16 = 1, within outer: UInt64 = 0,
        isFromHere: Bool = true
    ) {
        let now = TraceClock.now
        number = ring._withUnsafeGuaranteedRef { ring in
            let own = ring.own
            let number = ring.nextPost()
            own.pointee.currentPost = number
            own.pointee.topics.name(topic)
            ring.append(
                TraceEvent(
                    .posted, ticks: now, post: number, subject: UInt64(topic.hash),
                    detail: isFromHere ? own.pointee.sites.number() : 0, weight: weight))
            if outer != 0 {
                ring.append(TraceEvent(.within, ticks: now, post: number, subject: outer))
            }
            return number
        }
        self.ring = ring
        self.outer = outer
        last = now
    }

    /// Keeps the trace for ``takeAside()``: the delivery goes on in another function of this thread.
    func putAside() { ring._withUnsafeGuaranteedRef { $0.own.pointee.aside = self } }

    static func takeAside() -> PostTrace? {
        TraceRing.current?._withUnsafeGuaranteedRef { ring in
            ring.renew()
            return ring.own.pointee.aside.take()
        }
    }

    /// The handler of the observation with this address has run on the posting thread, since the last
    /// event.
    @inline(__always)
    mutating func called(_ observation: UInt) {
        let now = TraceClock.now
        append(.called, observation, at: now, TraceClock.detail(since: last, until: now))
        last = now
    }

    /// Something else happened to the delivery to an observation.
    mutating func happened(_ kind: TraceEvent.Kind, to observation: UInt) {
        last = TraceClock.now
        append(kind, observation, at: last, 0)
    }

    /// The post was sent to another process, or came from one.
    mutating func happened(_ kind: TraceEvent.Kind, through passage: TracePassage) {
        last = TraceClock.now
        if kind == .sent { wasSent = true }
        let event = TraceEvent(
            kind, ticks: last, post: number, subject: passage.subject, detail: passage.sequence)
        ring._withUnsafeGuaranteedRef { $0.append(event) }
    }

    /// A handler is about to run on the posting thread, and time has passed since the last event.
    mutating func willCall() { last = TraceClock.now }

    @inline(__always)
    private func append(
        _ kind: TraceEvent.Kind, _ observation: UInt, at time: UInt64, _ detail: UInt32
    ) {
        ring._withUnsafeGuaranteedRef { ring in
            ring.append(
                TraceEvent(
                    kind, ticks: time, post: number, subject: UInt64(observation), detail: detail))
        }
    }

    /// Traces a post that nobody heard.
    static func unheard(_ topic: Topic) {
        begin(topic)?.end(isUnheard: true)
    }

    /// Ends the post.
    func end(isUnheard: Bool) {
        if isUnheard, !wasSent { append(.unheard, 0, at: last, 0) }
        ring._withUnsafeGuaranteedRef { $0.own.pointee.currentPost = outer }
    }
}

extension TraceRing {
    /// Forgets what is left of an earlier tracing that ended while the thread was inside a post.
    @inline(__always)
    fileprivate func renew() {
        let session = TraceSampling.session
        if own.pointee.session == session { return }
        own.pointee.session = session
        own.pointee.currentPost = 0
        own.pointee.aside = nil
    }

    /// Whether the thread's next post is traced. Counts it.
    @inline(__always)
    fileprivate func isNext() -> Bool {
        if own.pointee.currentPost != 0 { return true }
        let interval = TraceSampling.interval
        // The interval may have become shorter.
        if own.pointee.untilNext > interval { own.pointee.untilNext = interval }
        own.pointee.untilNext &-= 1
        if own.pointee.untilNext > 0 { return false }
        own.pointee.untilNext = interval
        return true
    }

    /// Whether the thread traces a post because the process that made it traces it. Counts the post.
    func isNextAsked() -> Bool {
        let interval = TraceSampling.askedInterval
        if own.pointee.untilNextAsked > interval { own.pointee.untilNextAsked = interval }
        own.pointee.untilNextAsked &-= 1
        if own.pointee.untilNextAsked > 0 { return false }
        own.pointee.untilNextAsked = interval
        return true
    }
}

/// Whether posts are traced, and how many there are for each that is.
package enum TraceSampling {
    private static let value = Atomic<UInt32>(1)
    private static let on = Atomic<Bool>(false)
    /// The largest interval, which an event's weight can still say.
    package static let longest: UInt32 = 1 << 15

    /// Whether anybody traces.
    package static var isOn: Bool {
        get { on.load(ordering: .relaxed) }
        set {
            if newValue { sessions.wrappingAdd(1, ordering: .relaxed) }
            on.store(newValue, ordering: .relaxed)
        }
    }

    /// The number of times that tracing began.
    static var session: UInt32 { sessions.load(ordering: .relaxed) }
    private static let sessions = Atomic<UInt32>(0)

    /// The interval that the newest flight recorder asked for, and that counts again when a tool has gone.
    package static var recorderInterval: UInt32 {
        get { recorder.load(ordering: .relaxed) }
        set { recorder.store(newValue, ordering: .relaxed) }
    }
    private static let recorder = Atomic<UInt32>(1)

    /// One in this many posts is traced, on each thread.
    package static var interval: UInt32 {
        get { value.load(ordering: .relaxed) }
        set { value.store(min(max(newValue, 1), longest), ordering: .relaxed) }
    }

    /// The sampling of posts that other processes trace and send here: each thread traces one in this many
    /// for their sake. They take no turn from this process's own posts, however many they are.
    package static var askedInterval: UInt32 {
        get { asked.load(ordering: .relaxed) }
        set { asked.store(min(max(newValue, 1), longest), ordering: .relaxed) }
    }
    private static let asked = Atomic<UInt32>(1)
}
