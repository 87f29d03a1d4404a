// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if !canImport(Darwin)
/// The state of one registration's deliveries: whether a post leads to a delivery now, later, or
/// together with other posts. Each function that returns a Boolean says whether to make a delivery
/// now.
struct TokenDeliveries {
    private var suspensions = 0
    /// Whether the name was posted since the last delivery was begun.
    private var isPending = false
    /// Whether a handler is scheduled, or runs.
    private var isBusy = false
    /// Whether a delivery takes time, until ``end()``.
    private let takesTime: Bool

    /// - Parameter takesTime: Whether a delivery is a call of a handler, which must not overlap the
    ///   next.
    init(takesTime: Bool) { self.takesTime = takesTime }

    /// The name was posted.
    mutating func post() -> Bool {
        isPending = true
        return take()
    }

    mutating func suspend() { suspensions += 1 }

    mutating func resume() -> Bool {
        if suspensions > 0 { suspensions -= 1 }
        return take()
    }

    /// The scheduled handler can be called now. Returns whether it is to be: not if deliveries were
    /// suspended after it was scheduled.
    mutating func begin() -> Bool {
        if suspensions == 0 { return true }
        (isPending, isBusy) = (true, false)
        return false
    }

    /// The handler has returned.
    mutating func end() -> Bool {
        isBusy = false
        return take()
    }

    private mutating func take() -> Bool {
        guard isPending, !isBusy, suspensions == 0 else { return false }
        (isPending, isBusy) = (false, takesTime)
        return true
    }
}
#endif
