// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import BenchmarkHarness
internal import CBenchmarks

/// A kind of post on one thread, with its observers.
struct PostingQuestion {
    enum Kind {
        /// A value of a type of its own, about nothing.
        case typed
        /// A value of a type of its own, about an instance.
        case typedWithSubject
        /// A typed message; the observer is an object that is not kept alive, and a method.
        case method
        /// A notification without an object.
        case named
        /// A notification without an object, whose name has three parts.
        case namedInParts
        /// A notification with an instance as object.
        case namedWithInstance
        /// A notification with a string as object.
        case namedWithValue
    }

    /// The other registrations, which do not match.
    enum Others {
        case none
        /// Observers that each have a name of their own.
        case names(Int)
        /// Observers of the same name that each have an object of their own.
        case objects(Int)
        /// Observers of a pattern each. The posted name has the number of parts that they ask for.
        case patterns(Int)
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

/// The work of an observer, and the captures of its closure. They are the same for all subjects.
@inline(__always)
func hear(_ value: Int64, _ offset: Int64) { benchmarks_sink_put(value &+ offset) }

/// An observer that is an object.
final class Listener: Sendable {
    private let offset: Int64

    init(_ offset: Int64) { self.offset = offset }

    func heard(_ value: Int64) { hear(value, offset) }
}

/// The object of notifications.
final class Thing: Sendable {}
