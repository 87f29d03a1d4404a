// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if !canImport(Darwin)
internal import CSwitchyard
internal import Foundation

/// The names and tokens of a ``NotifyTable``, behind its lock.
struct NotifyState {
    /// A name with registrations in this process.
    private struct Entry {
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
        /// The mark of the name's last post at the last check; nil if the next check is true, as the
        /// first one is.
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
    /// Problems that are to be reported, without the lock: the hook may call these functions.
    private var problems: [String] = []
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
            deliveries: TokenDeliveries(takesTime: delivery.isHandler), seen: entry.record.post)
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

    // MARK: - Names

    /// Reads the record of a token's name.
    mutating func record(of token: Int32) throws(NotifyError) -> NotifyRecord {
        guard let name = tokens[token]?.name, let entry = try refreshed(name) else {
            throw .invalidToken
        }
        return entry.record
    }

    /// Sets the state of a token's name.
    mutating func setState(of token: Int32, _ value: UInt64) throws(NotifyError) {
        guard let name = tokens[token]?.name else { throw .invalidToken }
        while let entry = try refreshed(name) {
            names[name]?.record.state = value
            guard let file = entry.file else { return }
            try file.write(state: value)
            // If not, another process has made the file again, and may have read the old one before.
            if file.hasName { return }
        }
    }

    /// Opens the file of a name, or makes it.
    ///
    /// - Returns: nil for a name that belongs to this process alone.
    private mutating func open(_ name: NotifyName) throws(NotifyError) -> NotifyFile? {
        if name.isPrivate { return nil }
        let folder = try currentFolder()
        return try NotifyFile.join(name, in: folder) { problems.append($0) }
    }

    /// Opens the folder, which may have been removed or moved. The files of one folder share one
    /// descriptor of it.
    private mutating func currentFolder() throws(NotifyError) -> NotifyFolder {
        let opened = try openFolder()
        if let folder, folder.isSame(as: opened) { return folder }
        folder = opened
        return opened
    }

    /// Returns a name's entry, with the record that its file has now.
    ///
    /// If the file was removed or damaged, which no process does that uses this library, the name gets a
    /// file again. Other processes may have posted to the old file, or to none, so that this counts as a
    /// post here.
    private mutating func refreshed(_ name: NotifyName) throws(NotifyError) -> Entry? {
        guard var entry = names[name], entry.file != nil else { return names[name] }
        defer { names[name] = entry }
        while true {
            let isReadable = readFile(of: &entry)
            if isReadable, entry.watchNumber != nil || !isHeard(entry) { return entry }
            if !isReadable { try reopen(&entry, name) }
            do throws(NotifyError) {
                if isHeard(entry) { try watchAgain(&entry) }
            } catch {
                // The new file may have been removed as well.
                if entry.file?.hasName == true { throw error }
            }
        }
    }

    /// Reads the record.
    ///
    /// - Returns: false if the file was removed, or is damaged; then its name is free.
    private mutating func readFile(of entry: inout Entry) -> Bool {
        guard let file = entry.file, file.hasName else { return false }
        if let record = file.record() {
            entry.record = record
            return true
        }
        problems.append(file.damage)
        file.discard()
        return false
    }

    /// Opens the file of a name again. If it is another one, it gets the state that the name had.
    private mutating func reopen(_ entry: inout Entry, _ name: NotifyName) throws(NotifyError) {
        // A watch of a file without a name is of no use.
        unwatch(&entry)
        // Before what may fail: without a file, posts are missed.
        countPost(for: entry)
        try replaceFile(of: &entry, with: open(name))
    }

    private mutating func replaceFile(
        of entry: inout Entry, with new: NotifyFile?
    ) throws(NotifyError) {
        guard let old = entry.file, let new else { return }
        entry.file = new
        if new.isSameFile(as: old) { return }
        countPost(for: entry)
        // A file without a name can still be read.
        let state = old.record()?.state ?? entry.record.state
        // Another process may have been first.
        if let record = new.record(), record == NotifyRecord(), state != 0 {
            try new.write(state: state)
        }
    }

    /// Has each registration of a name told of a post.
    private mutating func countPost(for entry: Entry) {
        for token in entry.tokens {
            tokens[token]?.seen = nil
            tokens[token]?.checked = nil
        }
    }

    // MARK: - Watching

    private mutating func watch(_ entry: inout Entry) throws(NotifyError) {
        guard entry.watchNumber == nil, let file = entry.file else { return }
        let number = try watchNumber(of: file)
        entry.watchNumber = number
        watched[number] = file.name
    }

    /// Watches a new file, and has the watch's thread make the deliveries that are due.
    private mutating func watchAgain(_ entry: inout Entry) throws(NotifyError) {
        try watch(&entry)
        try entry.file?.wake()
    }

    /// Whether a registration of this process is to hear of the name's posts.
    private func isHeard(_ entry: Entry) -> Bool {
        entry.tokens.contains { tokens[$0]?.delivery.isNone == false }
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
        if let file = try? open(name) { try? replaceFile(of: &entry, with: file) }
        names[name] = entry
    }

    // MARK: - Problems

    /// Returns the problems that are to be reported.
    mutating func takeProblems() -> [String] {
        defer { problems = [] }
        return problems
    }

    // MARK: - Posts

    /// Posts a name.
    ///
    /// - Returns: The tokens for which a delivery is due. Those of names that processes share are told
    ///   by the watch, as in other processes.
    mutating func post(_ name: NotifyName) throws(NotifyError) -> [Int32] {
        let mark = NotifyRecord.newMark()
        while true {
            let entry = try refreshed(name)
            if let entry, entry.file == nil {
                names[name]?.record.post = mark
                return due(of: name)
            }
            // Without registrations anywhere, there is nobody to tell. A process whose file was removed
            // takes that for a post, and so misses none for which there is no file.
            let found = entry == nil && !name.isPrivate ? try find(name) : entry?.file
            guard let file = found else { return [] }
            try file.write(post: mark)
            // If not, another process may have made the file again, and not know of this post.
            if file.hasName { return [] }
        }
    }

    private mutating func find(_ name: NotifyName) throws(NotifyError) -> NotifyFile? {
        try NotifyFile.find(name, in: currentFolder())
    }

    /// Takes note of changes of watched files.
    ///
    /// - Returns: The tokens for which a delivery is due.
    mutating func changed(_ events: [NotifyWatch.Event]) -> [Int32] {
        let changed = events.contains(.any) ? Array(watched.values) : events.compactMap(name)
        return changed.flatMap { name -> [Int32] in
            do throws(NotifyError) {
                _ = try refreshed(name)
            } catch {
                // The deliveries are made all the same: posts may have been missed.
                problems.append(
                    (error.reason ?? "a name's file can't be used")
                        + ". Handlers for the name hear no more until the program uses the name again"
                )
            }
            return due(of: name)
        }
    }

    private func name(of event: NotifyWatch.Event) -> NotifyName? {
        if case .file(let number) = event { watched[number] } else { nil }
    }

    private mutating func due(of name: NotifyName) -> [Int32] {
        guard let entry = names[name] else { return [] }
        let mark = entry.record.post
        return entry.tokens.sorted().filter { number in
            guard var token = tokens[number], !token.delivery.isNone, token.seen != mark else {
                return false
            }
            token.seen = mark
            defer { tokens[number] = token }
            return token.deliveries.post()
        }
    }
}
#endif
