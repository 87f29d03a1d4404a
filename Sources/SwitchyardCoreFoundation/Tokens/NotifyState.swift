// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if !canImport(Darwin)
internal import CSwitchyard
internal import Foundation

/// The names and tokens of a ``NotifyTable``, behind its lock.
struct NotifyState {
    /// A name with registrations in this process.
    struct Entry {
        /// The file that processes share; nil for a name of this process alone.
        var file: NotifyFile?
        /// The record, as this process has last read it in the file.
        var record = NotifyRecord()
        var tokens: Set<Int32> = []
        /// The number of its file among those that are watched; nil if nobody is to hear of posts.
        var watchNumber: Int32?
    }

    /// A registration.
    struct Token {
        let name: NotifyName
        var delivery: NotifyDelivery
        var deliveries: TokenDeliveries
        /// The mark of the name's last post when a delivery was last considered; nil if one is due.
        var seen: UInt64?
        /// The mark of the name's last post at the last check; nil if the next check is true, as
        /// the first one is.
        var checked: UInt64?
    }

    var watch: NotifyWatch?
    var tokens: [Int32: Token] = [:]
    var names: [NotifyName: Entry] = [:]
    /// The names of watched files, by their numbers.
    var watched: [Int32: NotifyName] = [:]
    private var lastToken: Int32 = 0
    /// The number of forks before the process came to use this.
    var generation = switchyard_fork_generation()
    /// Problems that are to be reported, without the lock: the hook may call these functions.
    var problems: [String] = []
    /// The folder that was opened last, which the files of its names share.
    var folder: NotifyFolder?
    let openFolder: @Sendable () throws(NotifyError) -> NotifyFolder
    let makeWatch: @Sendable () throws(NotifyError) -> NotifyWatch
    /// The function that the watch's thread calls.
    var onChange: @Sendable ([NotifyWatch.Event]) -> Void = { _ in }

    init(
        openFolder: @escaping @Sendable () throws(NotifyError) -> NotifyFolder,
        makeWatch: @escaping @Sendable () throws(NotifyError) -> NotifyWatch
    ) {
        self.openFolder = openFolder
        self.makeWatch = makeWatch
    }

    // MARK: - Registrations

    mutating func register(
        _ name: NotifyName, _ delivery: NotifyDelivery
    ) throws(NotifyError) -> Int32 {
        var entry = try joined(name)
        if !delivery.isNone {
            var attempts = 1
            // Another process may remove the file before it is watched.
            while try !watchToRegister(&entry, isLast: attempts == Self.watchLimit) {
                attempts += 1
                entry = try joined(name)
            }
        }
        repeat { lastToken = lastToken == .max ? 1 : lastToken + 1 } while tokens[lastToken] != nil
        entry.tokens.insert(lastToken)
        names[name] = entry
        tokens[lastToken] = Token(
            name: name, delivery: delivery,
            deliveries: TokenDeliveries(takesTime: delivery.takesTime), seen: entry.record.post)
        return lastToken
    }

    /// The number of times that a registration has a file watched which loses its name before.
    private static let watchLimit = 100

    /// Returns a name's entry, a new one if the name has no registrations in this process yet.
    private mutating func joined(_ name: NotifyName) throws(NotifyError) -> Entry {
        if let known = try refreshed(name) { return known }
        var entry = Entry(file: try open(name))
        entry.record = entry.file?.record() ?? entry.record
        return entry
    }

    /// Watches the file of a name for a registration that is being made.
    ///
    /// - Parameter isLast: Whether this is the last attempt.
    /// - Returns: false if the file has lost its name, so that another attempt may succeed.
    private mutating func watchToRegister(
        _ entry: inout Entry, isLast: Bool
    ) throws(NotifyError) -> Bool {
        do throws(NotifyError) {
            try watch(&entry)
            return true
        } catch {
            if !isLast, entry.file?.hasName == false { return false }
            if entry.tokens.isEmpty { entry.file?.leave() }
            throw error
        }
    }

    /// - Returns: The delivery that nobody uses any more.
    mutating func cancel(_ token: Int32) throws(NotifyError) -> NotifyDelivery {
        guard let removed = tokens.removeValue(forKey: token) else { throw .invalidToken }
        guard var entry = names[removed.name] else { return removed.delivery }
        entry.tokens.remove(token)
        if !isHeard(entry) { unwatch(&entry) }
        if entry.tokens.isEmpty {
            names[removed.name] = nil
            entry.file?.leave()
        } else {
            names[removed.name] = entry
        }
        return removed.delivery
    }

    mutating func withToken<Result>(
        _ token: Int32, _ body: (inout Token) -> Result
    ) throws(NotifyError) -> Result {
        guard var changed = tokens[token] else { throw .invalidToken }
        defer { tokens[token] = changed }
        return body(&changed)
    }

    /// Returns the pipe whose read end this is.
    func pipe(readEnd: Int32) throws(NotifyError) -> NotifyPipe {
        for token in tokens.values {
            if case .pipe(let pipe) = token.delivery, pipe.readEnd == readEnd { return pipe }
        }
        throw .invalidFile
    }

    /// Returns the problems that are to be reported.
    mutating func takeProblems() -> [String] {
        defer { problems = [] }
        return problems
    }
}
#endif
