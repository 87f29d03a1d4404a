// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if !canImport(Darwin)
internal import CSwitchyard
internal import Foundation
internal import SwitchyardCore

/// The registrations of this process for Darwin notifications, by their tokens, and the names that
/// they are for.
///
/// The state is behind one lock. Files are opened with the lock held, programs' handlers called
/// without.
final class NotifyTable: Sendable {
    static let shared = NotifyTable { () throws(NotifyError) in try NotifyFolder.open() }

    private let state: Guarded<NotifyState>
    private let reportProblem: @Sendable (String) -> Void

    /// - Parameters:
    ///   - makeWatch: Makes the watch of the names' files, for the first registration that
    ///     delivers.
    ///   - openFolder: Opens the folder of the names' files. Called again for each name, because
    ///     the folder may be removed.
    ///   - reportProblem: Called without the lock with problems that are no caller's error.
    init(
        makeWatch: @escaping @Sendable () throws(NotifyError) -> NotifyWatch = {
            () throws(NotifyError) in try NotifyWatch()
        },
        reportProblem: @escaping @Sendable (String) -> Void = { report($0) },
        openFolder: @escaping @Sendable () throws(NotifyError) -> NotifyFolder
    ) {
        self.reportProblem = reportProblem
        state = Guarded(NotifyState(openFolder: openFolder, makeWatch: makeWatch))
        state.withLock { $0.onChange = { [weak self] events in self?.changed(events) } }
    }

    /// Calls `body` with the state, under the lock. In a forked child, the state is made its own
    /// before. Reports problems afterwards.
    private func withState<Result: Sendable, Failure: Error>(
        _ body: (inout NotifyState) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // The parent's handlers go outside the lock: their captures are the program's.
        let forgotten = state.withLock { $0.forgetParent() }
        withExtendedLifetime(forgotten) {}
        defer {
            for problem in state.withLock({ $0.takeProblems() }) { reportProblem(problem) }
        }
        return try state.withLock { state throws(Failure) -> Result in try body(&state) }
    }

    // MARK: - Registrations

    /// Makes a registration.
    ///
    /// - Returns: Its token.
    func register(_ name: NotifyName, _ delivery: NotifyDelivery) throws(NotifyError) -> Int32 {
        try withState { state throws(NotifyError) in try state.register(name, delivery) }
    }

    func cancel(_ token: Int32) throws(NotifyError) {
        // The handler goes outside the lock: its captures are the program's.
        let removed = try withState { state throws(NotifyError) -> NotifyDelivery in
            try state.cancel(token)
        }
        withExtendedLifetime(removed) {}
    }

    func isValid(_ token: Int32) -> Bool { withState { $0.tokens[token] != nil } }

    /// Returns the pipe whose read end this is, which an earlier registration made.
    func pipe(readEnd: Int32) throws(NotifyError) -> NotifyPipe {
        try withState { state throws(NotifyError) in try state.pipe(readEnd: readEnd) }
    }

    func suspend(_ token: Int32) throws(NotifyError) {
        try withState { state throws(NotifyError) in
            try state.withToken(token) { $0.deliveries.suspend() }
        }
    }

    func resume(_ token: Int32) throws(NotifyError) {
        let isDue = try withState { state throws(NotifyError) -> Bool in
            try state.withToken(token) { $0.deliveries.resume() }
        }
        if isDue { deliver([token]) }
    }

    // MARK: - Asking

    /// Whether the token's name was posted since the last call, or this is the first.
    func check(_ token: Int32) throws(NotifyError) -> Bool {
        try withState { state throws(NotifyError) -> Bool in
            let mark = try state.record(of: token).post
            return try state.withToken(token) { token in
                defer { token.checked = mark }
                return token.checked != mark
            }
        }
    }

    func getState(_ token: Int32) throws(NotifyError) -> UInt64 {
        try withState { state throws(NotifyError) in try state.record(of: token).state }
    }

    func setState(_ token: Int32, _ value: UInt64) throws(NotifyError) {
        try withState { state throws(NotifyError) in
            try state.setState(of: token, value)
        }
    }

    // MARK: - Posting, and hearing of posts

    func post(_ name: NotifyName) throws(NotifyError) {
        let due = try withState { state throws(NotifyError) -> [Int32] in
            try state.post(name)
        }
        deliver(due)
    }

    private func changed(_ events: [NotifyWatch.Event]) {
        deliver(withState { $0.changed(events) })
    }

    /// Makes deliveries, without the lock.
    private func deliver(_ tokens: [Int32]) {
        for token in tokens {
            switch withState({ $0.tokens[token]?.delivery ?? .none }) {
            case .none: break
            case .signal(let signal): kill(getpid(), signal)
            case .pipe(let pipe): pipe.write(token)
            case .handler(let handler): handler.enqueue { [weak self] in self?.call(token) }
            }
        }
    }

    /// Calls a token's handler, on its queue.
    private func call(_ token: Int32) {
        let handler = withState { state -> NotifyHandler? in
            guard case .handler(let handler) = state.tokens[token]?.delivery,
                state.tokens[token]?.deliveries.begin() == true
            else { return nil }
            return handler
        }
        guard let handler else { return }
        handler.call(token)
        if withState({ $0.tokens[token]?.deliveries.end() }) == true { deliver([token]) }
    }
}
#endif
