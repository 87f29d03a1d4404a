// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardCore
internal import SwitchyardInspection

/// The posts and deliveries of a recording.
struct FlowEvents {
    /// A post that was traced.
    struct Post {
        var topic: String
        /// The line from which it was made.
        var place: String
        var thread: String
        /// The time of the post, in nanoseconds since the system's start.
        var time: UInt64
        /// The number of posts that it stands for; none if it was traced for the sake of another
        /// process.
        var weight: Double
        var isUnheard = false
        /// Whether it was made before the seconds that the picture is about, and a delivery of it
        /// came late.
        var isOld = false
    }

    /// A handler that was called.
    struct Delivery {
        var post: UInt64
        /// The id of the registration; 0, which is none, if a later one has it by now.
        var registration: UInt64
        var thread: String
        /// Whether the main thread made it inline, in a post.
        var isInlineOnMain = false
        /// The handler's end, in nanoseconds since the system's start.
        var end: UInt64
        /// Seconds in the mailbox; nil on the posting thread, and if that is not known.
        var waited: Double?
        /// Seconds in the handler.
        var took: Double
    }

    private struct Call: Hashable {
        var post: UInt64
        var registration: UInt64
    }

    /// The posts, by their numbers.
    private(set) var posts: [UInt64: Post] = [:]
    /// The deliveries; those of one thread stand in their order.
    private(set) var deliveries: [Delivery] = []

    init(_ window: LiveWindow) {
        let clock = window.recording.clock
        var queued: [Call: UInt64] = [:]
        for thread in window.recording.threads {
            let name = Self.name(of: thread, window)
            for event in thread.events {
                switch event.kind {
                case .posted:
                    let time = clock.time(event.ticks)
                    posts[event.post] = Post(
                        topic: window.topics[event.subject] ?? "?",
                        place: window.sites[event.detail] ?? Self.unknownPlace, thread: name,
                        time: time, weight: Double(event.weight),
                        isOld: time < window.recording.keptSince)
                case .received:
                    let way = TracePassage(event)
                    posts[event.post]?.place =
                        way.process == 0 ? "another process" : "process \(way.process)"
                case .queued, .due:
                    let call = Call(post: event.post, registration: event.subject)
                    queued[call] = max(event.ticks, queued[call] ?? 0)
                default: break
                }
            }
        }
        for thread in window.recording.threads {
            let name = Self.name(of: thread, window)
            for event in thread.events {
                switch event.kind {
                case .unheard: posts[event.post]?.isUnheard = true
                case .called, .delivered:
                    let took = clock.span(detail: event.detail) / 1e9
                    var waited: Double?
                    let call = Call(post: event.post, registration: event.subject)
                    // A handler that ran for longer than the detail can say leaves the wait
                    // unknown.
                    if event.kind == .delivered, event.detail != .max, let since = queued[call] {
                        let inAll = clock.span(event.ticks &- min(since, event.ticks)) / 1e9
                        waited = max(0, inAll - took)
                    }
                    let isLast = window.recording.registrations.isOfLast(
                        event.subject, at: event.ticks)
                    deliveries.append(
                        Delivery(
                            post: event.post, registration: isLast ? event.subject : 0,
                            thread: name,
                            isInlineOnMain: event.kind == .called
                                && thread.number == window.process,
                            end: clock.time(event.ticks), waited: waited, took: took))
                default: break
                }
            }
        }
    }

    /// The text for the call site of a post whose line is not known, or not known yet.
    static let unknownPlace = "line not known"

    /// The name of a thread for people.
    static func name(of thread: TraceRecording.Thread, _ window: LiveWindow) -> String {
        // The system's name of the main thread is that of the program.
        if thread.number == window.process { return "main" }
        return thread.name.isEmpty ? "thread \(thread.number)" : LiveText.short(thread.name)
    }

    /// The number of deliveries of a second that took a frame or more from the post to the
    /// handler's end.
    func late(in seconds: Double) -> Double {
        let late = deliveries.filter { ($0.waited ?? 0) + $0.took >= 0.016 }
        return late.reduce(0) { $0 + (posts[$1.post]?.weight ?? 1) } / max(seconds, 0.001)
    }
}
