// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import BenchmarkHarness
internal import CBenchmarks

/// What is posted on one thread, to whom.
struct PostingQuestion {
    enum Kind {
        /// A value of a type of its own, about nothing.
        case typed
        /// A value of a type of its own, about an instance.
        case typedWithSubject
        /// As `typed`; the observer is an object that is not kept alive, and a method.
        case method
        /// By name, without an object.
        case named
        /// By name, with an instance as object.
        case namedWithInstance
        /// By name, with a string as object.
        case namedWithValue
    }

    /// What else is registered that does not match.
    enum Others {
        case none
        /// So many observers, each of a name of its own.
        case names(Int)
        /// So many observers of the same name, each for an object of its own.
        case objects(Int)
    }

    let kind: Kind
    let observers: Int
    var others = Others.none
}

/// Something that posts to observers on the posting thread.
protocol PostingSubject: Subject where Question == PostingQuestion {}

extension PostingSubject {
    /// Times `post`, which posts so often, and checks that the handlers got something.
    func posting(
        to observers: Int, keeping kept: Any = (), post: @escaping (Int) -> Void
    ) -> Workload {
        let name = name
        return .timed(keeping: kept) { count in
            benchmarks_sink_put(-1)
            post(count)
            let wasHeard = benchmarks_sink_get() >= 0
            precondition(wasHeard == (observers > 0), "\(name) did not call its handlers")
        }
    }
}

/// A message of a type of its own: what typed subjects post.
struct Ping: Sendable {
    var value: Int64
}

/// What an observer does, and what its closure captures. The same for all subjects.
@inline(__always)
func hear(_ value: Int64, _ offset: Int64) { benchmarks_sink_put(value &+ offset) }

/// An observer that is an object.
final class Listener: Sendable {
    private let offset: Int64

    init(_ offset: Int64) { self.offset = offset }

    func heard(_ value: Int64) { hear(value, offset) }
}

/// What notifications are about.
final class Thing: Sendable {}
