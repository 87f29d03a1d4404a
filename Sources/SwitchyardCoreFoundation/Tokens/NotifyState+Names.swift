// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if !canImport(Darwin)
extension NotifyState {
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
            // If not, another process has made the file again, and may have read the old one
            // before.
            if file.hasName { return }
        }
    }

    /// Opens the file of a name, or makes it.
    ///
    /// - Returns: nil for a name that belongs to this process alone.
    mutating func open(_ name: NotifyName) throws(NotifyError) -> NotifyFile? {
        if name.isPrivate { return nil }
        let folder = try currentFolder()
        return try NotifyFile.join(name, in: folder) { problems.append($0) }
    }

    /// Opens the folder, which may have been removed or moved. The files of one folder share one
    /// descriptor of it.
    mutating func currentFolder() throws(NotifyError) -> NotifyFolder {
        let opened = try openFolder()
        if let folder, folder.isSame(as: opened) { return folder }
        folder = opened
        return opened
    }

    /// Returns a name's entry, with the record that its file has now.
    ///
    /// If the file was removed or damaged, which no process does that uses this library, the name
    /// gets a file again. Other processes may have posted to the old file, or to none, so that this
    /// counts as a post here.
    mutating func refreshed(_ name: NotifyName) throws(NotifyError) -> Entry? {
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

    mutating func replaceFile(
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
}
#endif
