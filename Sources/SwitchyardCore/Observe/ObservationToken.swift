// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// One registration with a center.
///
/// Keep the token of a closure for as long as it should be called: the observation ends when the
/// last copy goes (SF-0011). The token of a method may be dropped at once: such an observation ends
/// with its observer object, when it is cancelled, or with the set in which `store(in:)` has put its
/// token.
///
/// Keep tokens in a property. Swift may let go of a local variable, and of a local array of tokens,
/// at its last use, which in an optimised build can be the registration itself;
/// `withExtendedLifetime` keeps it.
public struct ObservationToken: Sendable, Hashable, CustomStringConvertible {
    /// Ends the observation, of a closure or one that is stored, when the last copy of the token
    /// goes.
    private final class Owner: Sendable {
        let observation: Unmanaged<Observation>

        init(_ observation: Observation) { self.observation = .passRetained(observation) }

        deinit {
            observation._withUnsafeGuaranteedRef { $0.cancel() }
            observation.release()
        }
    }

    /// One reference: a copy of a token counts one.
    private enum Keeper {
        case owner(Owner)
        case observation(Observation)
    }

    private let keeper: Keeper

    /// - Parameter endsObservation: whether the observation ends with the last copy of this token.
    package init(_ observation: Observation, endsObservation: Bool) {
        keeper = endsObservation ? .owner(Owner(observation)) : .observation(observation)
    }

    /// Whether the observation ends with the last copy of this token.
    var endsObservation: Bool {
        if case .owner = keeper { true } else { false }
    }

    /// A token with whose last copy the observation ends: this one, if it is one.
    var ending: ObservationToken {
        endsObservation ? self : ObservationToken(observation, endsObservation: true)
    }

    package var observation: Observation { reference.takeUnretainedValue() }

    private var reference: Unmanaged<Observation> {
        switch keeper {
        case .owner(let owner): owner.observation
        case .observation(let observation): .passUnretained(observation)
        }
    }

    /// Ends the observation. When this returns, no delivery starts any more, on any thread: not
    /// from a post under way, nor of mail that waits. A delivery that started before may still be
    /// running on another thread.
    ///
    /// Never waits. May be called from anywhere, any number of times.
    public func cancel() { reference._withUnsafeGuaranteedRef { $0.cancel() } }

    /// Ends the observation as ``cancel()`` does, and waits until the deliveries that had started
    /// on other threads are over. Inside its own handler it does not wait for that one.
    ///
    /// The thread that was in the handler last may release what the handler captured a moment
    /// later: no code of the handler runs any more, but the captured objects' `deinit` may.
    ///
    /// An async handler that needs the calling thread to go on, because it is isolated to the main
    /// actor and this is called there, can't end meanwhile: use ``cancelAndDrain()``.
    ///
    /// - Returns: Whether all are over: false when a handler under way waits, through others, for
    ///   the caller; that is reported to the center's problem hook.
    @available(*, noasync, message: "it blocks the calling thread; use cancelAndDrain()")
    @discardableResult
    public func cancelAndWait() -> Bool { observation.cancelAndWait() }

    /// Ends the observation as ``cancel()`` does, and suspends until the deliveries that had
    /// started on other threads and tasks are over. Inside its own handler, and in what that starts
    /// with `Task`, it does not wait for that one. A `Task.detached` knows nothing of the handler
    /// that started it: a handler that awaits such a task, which awaits this, never ends.
    ///
    /// - Returns: Whether all are over: false when a handler under way waits, through others, for
    ///   the caller; that is reported to the center's problem hook.
    @discardableResult
    public func cancelAndDrain() async -> Bool { await observation.cancelAndDrain() }

    /// Whether the observation has ended, for whatever reason.
    public var isCancelled: Bool { observation.isCancelled }

    /// One line with the topic, the context, the origin, and whether the observation has ended.
    public var description: String {
        let entry = CenterSnapshot.Entry(observation)
        return "\(entry.topic), \(entry.object), on \(entry.context), registered at \(entry.origin)"
            + (isCancelled ? ", ended" : "")
    }

    /// Equal when both are tokens of one registration.
    public static func == (left: ObservationToken, right: ObservationToken) -> Bool {
        left.observation === right.observation
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(observation))
    }
}
