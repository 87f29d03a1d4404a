// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if Tracing
internal import Tracing

/// A post on its way to other processes, or from one of them, which the calling thread delivers
/// here. Handlers are called outside of it: their posts are others.
struct Crossing: Sendable {
    @TaskLocal static var current: Crossing?

    /// Calls a handler.
    static func leaving<Result>(_ call: () throws -> Result) rethrows -> Result {
        if current == nil { return try call() }
        return try $current.withValue(nil, operation: call)
    }

    /// The follower of the center to which the post belongs.
    let follower: ObjectIdentifier
    let context: ServiceContext
    /// Whether it comes from another process.
    let isArriving: Bool
    /// Whether it is a request, which is asked here and, as a part of it, in other processes.
    let hasParts: Bool

    init(
        of follower: ObjectIdentifier, _ context: ServiceContext, isArriving: Bool,
        hasParts: Bool = false
    ) {
        self.follower = follower
        self.context = context
        self.isArriving = isArriving
        self.hasParts = hasParts
    }

    /// A part of it on its way.
    var part: Crossing { Crossing(of: follower, context, isArriving: isArriving) }
}
#endif
