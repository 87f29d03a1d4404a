// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if !canImport(Darwin)
internal import CSwitchyard
internal import Foundation

/// The names and tokens of a ``NotifyTable``, behind its lock.
struct NotifyState {
    /// A name with registrations in this process.
    private struct Entry {
        var record: NotifyRecord
        var tokens: Set<Int32> = []
        /// The number of its file among those that are watched; nil if nobody is to hear of posts.
        var watchNumber: Int32?
    }

    /// A registration.
    struct Token {
        let name: NotifyName
        var delivery: NotifyDelivery
        var deliveries: TokenDeliveries
        /// The name's count of posts when a delivery was last considered.
        var seen: UInt64
        /// The name's count of posts at the last check; nil before the first.
        var checked: UInt64?
    }

    private var watch: NotifyWatch?
    var tokens: [Int32: Token] = [:]
    private var names: [NotifyName: Entry] = [:]
    /// The names of watched files, by their numbers.
    private var watched: [Int32: NotifyName] = [:]
    private var lastToken: Int32 = 0
    /// The number of forks before the process came to use this.
    private var generation = switchyard_fork_generation()
    /// The folder that was opened last, which the files of its names share.
    private var folder: NotifyFolder?
    private let openFolder: @Sendable () throws(NotifyError) -> NotifyFolder
    private let makeWatch: @Sendable () throws(NotifyError) -> NotifyWatch
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
        var entry: Entry
        if let known = try refreshed(name) {
            entry = known
        } else {
            entry = Entry(record: try open(name))
        }
        do throws(NotifyError) {
            if !delivery.isNone { try watch(&entry) }
        } catch {
            if entry.tokens.isEmpty { entry.record.file?.leave() }
            throw error
        }
        repeat { lastToken = lastToken == .max ? 1 : lastToken + 1 } while tokens[lastToken] != nil
        entry.tokens.insert(lastToken)
        names[name] = entry
        tokens[lastToken] = Token(
            name: name, delivery: delivery,
            deliveries: TokenDeliveries(takesTime: delivery.isHandler), seen: entry.record.count)
        return lastToken
    }

    /// - Returns: The delivery that nobody uses any more.
    mutating func cancel(_ token: Int32) throws(NotifyError) -> NotifyDelivery {
        guard let removed = tokens.removeValue(forKey: token) else { throw .invalidToken }
        guard var entry = names[removed.name] else { return removed.delivery }
        entry.tokens.remove(token)
        let isHeard = entry.tokens.contains { tokens[$0]?.delivery.isNone == false }
        if !isHeard { unwatch(&entry) }
        if entry.tokens.isEmpty {
            names[removed.name] = nil
            entry.record.file?.leave()
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

    // MARK: - Names

    /// Returns the record of a token's name.
    mutating func record(of token: Int32) throws(NotifyError) -> NotifyRecord {
        guard let name = tokens[token]?.name, let entry = try refreshed(name) else {
            throw .invalidToken
        }
        return entry.record
    }

    private mutating func open(_ name: NotifyName) throws(NotifyError) -> NotifyRecord {
        if name.isPrivate { return NotifyRecord() }
        return try NotifyRecord(in: .join(name, in: currentFolder()))
    }

    /// Opens the folder, which may have been removed or moved. The files of one folder share one
    /// descriptor of it.
    private mutating func currentFolder() throws(NotifyError) -> NotifyFolder {
        let opened = try openFolder()
        if let folder, folder.isSame(as: opened) { return folder }
        folder = opened
        return opened
    }

    /// Returns a name's entry. If the name's file was removed, which nobody does who uses it, the name
    /// gets a file again, with the state that it had.
    private mutating func refreshed(_ name: NotifyName) throws(NotifyError) -> Entry? {
        guard var entry = names[name], entry.record.file?.isRemoved == true else {
            return names[name]
        }
        try reopen(&entry, name)
        if entry.watchNumber != nil {
            unwatch(&entry)
            try watch(&entry)
        }
        names[name] = entry
        return entry
    }

    /// Opens the file of a name again. If it is another one, it gets the state that the name had.
    private mutating func reopen(_ entry: inout Entry, _ name: NotifyName) throws(NotifyError) {
        let old = entry.record
        let new = try open(name)
        entry.record = new
        if let file = new.file, old.file?.isSameFile(as: file) == true { return }
        // Another process may have been first.
        if new.count == 0, new.state == 0 { new.state = old.state }
        let (oldCount, count) = (old.count, new.count)
        for token in entry.tokens {
            let isChecked = tokens[token]?.checked == oldCount
            tokens[token]?.seen = count
            // After posts that were not checked for, the next check is true, as the first one is.
            tokens[token]?.checked = isChecked ? count : nil
        }
    }

    // MARK: - Watching

    private mutating func watch(_ entry: inout Entry) throws(NotifyError) {
        guard entry.watchNumber == nil, let file = entry.record.file else { return }
        let number = try watchNumber(of: file)
        entry.watchNumber = number
        watched[number] = file.name
    }

    /// Has a file watched, and starts the thread for that if there is none.
    private mutating func watchNumber(of file: NotifyFile) throws(NotifyError) -> Int32 {
        if let watch { return try watch.add(file) }
        let first = try makeWatch()
        do throws(NotifyError) {
            let number = try first.add(file)
            try first.start(onChange)
            watch = first
            return number
        } catch {
            first.close()
            throw error
        }
    }

    private mutating func unwatch(_ entry: inout Entry) {
        guard let number = entry.watchNumber else { return }
        watch?.remove(number)
        watched[number] = nil
        entry.watchNumber = nil
    }

    // MARK: - Forks

    /// In a forked child, makes the registrations its own. Their deliveries end: the thread that watches
    /// is the parent's alone. Called before everything else that the child does.
    ///
    /// - Returns: The deliveries that nobody uses any more.
    mutating func forgetParent() -> [NotifyDelivery] {
        guard generation != switchyard_fork_generation() else { return [] }
        generation = switchyard_fork_generation()
        watch = nil
        watched = [:]
        for name in Array(names.keys) { forgetParent(name) }
        let deliveries = tokens.values.map(\.delivery)
        for token in Array(tokens.keys) { tokens[token]?.delivery = .none }
        return deliveries
    }

    /// Opens the file of a name for this process: the lock on the open file that the parent had is one
    /// for both, and goes when the parent gives it back.
    private mutating func forgetParent(_ name: NotifyName) {
        guard var entry = names[name] else { return }
        entry.watchNumber = nil
        // Without a file of its own the child goes on with its parent's.
        if !name.isPrivate { try? reopen(&entry, name) }
        names[name] = entry
    }

    // MARK: - Posts

    /// Posts a name.
    ///
    /// - Returns: The tokens for which a delivery is due. Those of names that processes share are told
    ///   by the watch, as in other processes.
    mutating func post(_ name: NotifyName) throws(NotifyError) -> [Int32] {
        if let entry = try refreshed(name) {
            entry.record.post()
            return name.isPrivate ? due(of: entry) : []
        }
        // Without registrations anywhere, there is nobody to tell.
        if !name.isPrivate, let file = try NotifyFile.find(name, in: currentFolder()) {
            try NotifyRecord(in: file).post()
        }
        return []
    }

    /// Takes note of changes of watched files.
    ///
    /// - Returns: The tokens for which a delivery is due.
    mutating func changed(_ events: [NotifyWatch.Event]) -> [Int32] {
        let changed = events.contains(.any) ? Array(watched.values) : events.compactMap(name)
        return changed.flatMap { name -> [Int32] in
            guard let entry = names[name] else { return [] }
            let due = due(of: entry)
            // The change may be that the file was removed. A failure is reported to whoever asks next.
            _ = try? refreshed(name)
            return due
        }
    }

    private func name(of event: NotifyWatch.Event) -> NotifyName? {
        if case .file(let number) = event { watched[number] } else { nil }
    }

    private mutating func due(of entry: Entry) -> [Int32] {
        let count = entry.record.count
        return entry.tokens.sorted().filter { number in
            guard var token = tokens[number], !token.delivery.isNone, token.seen != count else {
                return false
            }
            token.seen = count
            defer { tokens[number] = token }
            return token.deliveries.post()
        }
    }
}
#endif
