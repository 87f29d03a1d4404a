// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
internal import Synchronization

/// A thread's side of its ``TraceRing``: what it needs to write events, and to know which posts to
/// trace.
///
/// Only the owning thread uses it, through a pointer: checking accesses to a class's variables
/// would take longer than the accesses. Readers look at ``written`` and ``words``. It is never
/// freed, as its ring.
struct TraceWriter: ~Copyable {
    typealias Pointer = UnsafeMutablePointer<TraceWriter>

    /// The posts until the next one that is traced: one while the thread is inside a traced post.
    /// The first field, because the thread finds the writer by it, and because ThreadSanitizer
    /// takes a write to any of a structure's fields for one to its first.
    private var turns = switchyard_turns(left: 1, round: 0)
    /// The traced post that the thread is inside; 0: none.
    var currentPost: UInt64 = 0
    /// The number of the newest post: the ring's number in the upper bits.
    fileprivate var lastPost: UInt64
    /// The ``TraceEvent/summary`` of the next post whose turn it is, without its call site. Its
    /// weight is the number of posts since the last one whose turn it was.
    fileprivate(set) var summaryOfPost: UInt64 = 0
    /// The summary of a post that comes a whole interval after the last one.
    fileprivate var summaryOfInterval: UInt64 = 0
    /// The events, the index of each modulo ``TraceRing/capacity``. Memory that is never freed.
    let words: UnsafeMutablePointer<Atomic<UInt64>>
    /// The number of events that were written, ever.
    let written = Atomic<UInt64>(0)

    /// One in this many posts is traced.
    private(set) var interval: UInt32 = 1
    /// The number of posts until the next traced one, of the posts that other processes ask to have
    /// traced.
    private var leftAsked: UInt32 = 1
    /// The tracing to which the posts belong that the thread is inside.
    private var session: UInt32 = 0
    /// Whether posts note their call sites.
    fileprivate var notesSites = true
    fileprivate var stack = switchyard_stack()
    /// A copy of what ``TraceClock`` asks, near by.
    fileprivate let hasCounter = switchyard_has_constant_counter()
    fileprivate let sites = CallSiteCache()
    fileprivate let topics = TraceTopicCache()
    /// The trace of a post whose delivery goes on elsewhere.
    var aside: PostTrace?
    /// The trace of a post that is being sent to other processes.
    var sending: PostTrace?
    /// The trace with which the thread's next post goes on; see ``TraceCrossing``.
    var carried: PostTrace?
    /// Not retained: rings are never freed.
    let ring: Unmanaged<TraceRing>

    init(of ring: TraceRing, _ words: UnsafeMutablePointer<Atomic<UInt64>>) {
        self.ring = .passUnretained(ring)
        self.words = words
        lastPost = ring.number << 40
    }
}

// MARK: - Turns

extension TraceWriter {
    /// The calling thread's turns: its writer's, if it has one.
    @inline(__always)
    private static var threadTurns: UnsafeMutablePointer<switchyard_turns> {
        // Never null: C would have to say so of all its pointers, and asking takes longer than the
        // rest.
        switchyard_get_thread_turns().unsafelyUnwrapped
    }

    /// The calling thread's writer, if it knows the rules of now; nil otherwise.
    @inline(__always)
    static var ofRound: Pointer? {
        let turns = threadTurns
        return turns.pointee.round == switchyard_trace_round() ? pointer(turns) : nil
    }

    /// The calling thread's writer, whatever rules it knows; nil if it has none.
    static var owned: Pointer? {
        switchyard_has_thread_turns() ? pointer(threadTurns) : nil
    }

    /// The writer to which these turns belong.
    @inline(__always)
    private static func pointer(_ turns: UnsafeMutablePointer<switchyard_turns>) -> Pointer {
        UnsafeMutableRawPointer(turns).assumingMemoryBound(to: TraceWriter.self)
    }

    /// The calling thread's writer; nil if there is no memory for one.
    @inline(__always)
    static var current: Pointer? { ofRound ?? renewed() }

    /// The calling thread's writer if its next post is traced; nil if it is not its turn. Counts
    /// the post.
    static var ofNextPost: Pointer? { switchyard_takes_turn() ? ofTurn : nil }

    /// The calling thread's writer, if `switchyard_takes_turn` has just found that the next post is
    /// traced; nil if it did not know, or was not asked.
    @inline(__always)
    static var ofCountedTurn: Pointer? {
        let turns = threadTurns
        return turns.pointee.left == 0 ? pointer(turns) : nil
    }

    /// The calling thread's writer if its next post is traced, after `switchyard_takes_turn` said
    /// so, or did not know; nil if it is not its turn.
    @inline(__always)
    static var ofTurn: Pointer? { ofCountedTurn ?? ofTurnInNewRound() }

    @inline(never)
    private static func ofTurnInNewRound() -> Pointer? {
        guard let writer = renewed() else { return nil }
        writer.pointee.turns.left &-= 1
        return writer.pointee.turns.left == 0 ? writer : nil
    }

    /// The calling thread's writer, which learns the rules of now; nil if there is no memory for
    /// one.
    @inline(never)
    private static func renewed() -> Pointer? {
        let round = switchyard_trace_round()
        guard let writer = TraceRing.writerOfThread() else { return nil }
        writer.pointee.renew(round)
        return writer
    }

    private mutating func renew(_ round: UInt32) {
        turns.round = round
        interval = TraceSampling.interval
        notesSites = TraceSampling.notesSites
        summaryOfInterval = TraceEvent.summary(.posted, weight: UInt16(interval))
        if session != TraceSampling.session { beginSession() }
        resume(with: turns.left)
    }

    /// Forgets what is left of an earlier tracing, which may have ended while the thread was inside
    /// a post.
    private mutating func beginSession() {
        session = TraceSampling.session
        forgetPosts()
        sites.removeAll()
        topics.removeAll()
        // Were each thread's first post traced, many threads would make many events.
        let number = UInt64(session) << 32 | lastPost >> 40
        turns.left = 1 + UInt32(UInt64(Hash.mix(UInt(number))) % UInt64(interval))
        summaryOfPost = TraceEvent.summary(.posted, weight: UInt16(turns.left))
    }

    /// Goes on with the posts that were left until the next one that is traced. If the interval has
    /// become shorter since, that post comes earlier, and stands for fewer.
    fileprivate mutating func resume(with left: UInt32) {
        turns.left = min(left, interval)
        if left > interval { lighten(by: left - interval) }
    }

    private mutating func lighten(by count: UInt32) {
        let weight = UInt32(weightOfPost)
        let counted = weight > count ? weight - count : 1
        summaryOfPost = TraceEvent.summary(.posted, weight: UInt16(max(counted, turns.left)))
    }

    /// The number of posts for which the next one stands whose turn it is.
    var weightOfPost: UInt16 { UInt16(truncatingIfNeeded: summaryOfPost >> 16) }

    /// The calling thread is the owner from now on.
    mutating func begin() {
        stack = switchyard_own_stack()
        forgetPosts()
    }

    /// Forgets the posts that the thread is inside.
    private mutating func forgetPosts() {
        currentPost = 0
        (aside, sending, carried) = (nil, nil, nil)
    }

    /// Whether the thread traces a post because the process that made it traces it. Counts the
    /// post.
    mutating func isNextAsked() -> Bool {
        let interval = TraceSampling.askedInterval
        if leftAsked > interval { leftAsked = interval }
        leftAsked &-= 1
        if leftAsked > 0 { return false }
        leftAsked = interval
        return true
    }
}

extension TraceWriter {
    /// The posts until the next one that is traced.
    @inline(__always)
    var left: UInt32 {
        get { turns.left }
        set { turns.left = newValue }
    }
}

// MARK: - Writing

extension TraceWriter.Pointer {
    /// The time of an event.
    @inline(__always)
    var now: UInt64 { switchyard_ticks_of(pointee.hasCounter) }

    /// A number for the thread's next post.
    @inline(__always)
    func nextPost() -> UInt64 {
        pointee.lastPost &+= 1
        return pointee.lastPost
    }

    /// The thread enters a traced post. The next post is inside of it, and is traced as well.
    @inline(__always)
    func enter(_ post: UInt64) {
        pointee.currentPost = post
        pointee.left = 1
    }

    /// The thread leaves a traced post, and is inside another one again, or, if that is 0, inside
    /// of none.
    ///
    /// - Parameter left: the posts until the next one that is traced; 0: it was the post's turn, and
    ///   the thread is inside of none.
    @inline(__always)
    func leave(to post: UInt64, _ left: UInt32) {
        if left == 0 { return leave() }
        pointee.currentPost = post
        pointee.resume(with: left)
    }

    /// The thread leaves a traced post that it was in because it was its turn, and is inside of
    /// none.
    @inline(__always)
    func leave() {
        pointee.currentPost = 0
        pointee.left = pointee.interval
        pointee.summaryOfPost = pointee.summaryOfInterval
    }

    /// Whether the thread is inside a traced post.
    @inline(__always)
    var isInsidePost: Bool { _slowPath(pointee.currentPost != 0) }

    /// Adds an event.
    @inline(__always)
    func append(_ ticks: UInt64, _ post: UInt64, _ subject: UInt64, _ summary: UInt64) {
        let index = pointee.written.load(ordering: .relaxed)
        let slot = pointee.words + Int(index % TraceRing.capacity) * TraceRing.wordsOfEvent
        // Releasing: who sees one of these words sees the count that came before it.
        slot[0].store(ticks, ordering: .releasing)
        slot[1].store(post, ordering: .releasing)
        slot[2].store(subject, ordering: .releasing)
        slot[3].store(summary, ordering: .releasing)
        pointee.written.store(index &+ 1, ordering: .releasing)
    }

    /// The number of the site from which the function is called that this is inlined into, or of
    /// one of its callers; 0 if posts don't note it. Names the topic, unless that is a name.
    @inline(__always)
    func site(_ bits: UInt, _ hash: UInt) -> UInt32 {
        guard pointee.notesSites else {
            if !pointee.topics.has(hash) { nameUnlessKnown(bits, hash) }
            return 0
        }
        let frame = switchyard_frame(pointee.stack)
        // One look at a cache is enough for both, if it has a topic and a site together.
        let key = switchyard_callers_hash(
            UInt64(hash), frame, pointee.stack, Int32(CallSites.mostFrames))
        return pointee.sites[key] ?? addSite(key, frame, bits, hash)
    }

    @inline(never)
    private func addSite(_ key: UInt64, _ frame: UInt, _ bits: UInt, _ hash: UInt) -> UInt32 {
        nameUnlessKnown(bits, hash)
        return pointee.sites.add(key, CallSites.number(of: frame, pointee.stack))
    }

    /// Names a topic that is a type, or the empty name. Any other name is known to ``TraceTopics``
    /// already, unless another tracing has begun in the middle of the post: then the next one names
    /// it.
    @inline(never)
    private func nameUnlessKnown(_ bits: UInt, _ hash: UInt) {
        let topic = Topic(bits: bits, name: "", keyHash: hash)
        if !topic.isName || hash == Topic.name("").hash { name(topic) }
    }

    /// Names the topic, unless the thread has done so.
    func name(_ topic: Topic) { pointee.topics.name(topic) }
}
