// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if !canImport(Darwin)
extension NotifyState {
    /// Posts a name.
    ///
    /// - Returns: The tokens for which a delivery is due. Registrations of names that processes
    ///   share are told by the watch, as in other processes.
    mutating func post(_ name: NotifyName) throws(NotifyError) -> [Int32] {
        let mark = NotifyRecord.newMark()
        while true {
            let entry = try refreshed(name)
            if let entry, entry.file == nil {
                names[name]?.record.post = mark
                return due(of: name)
            }
            // A name without registrations has no process to tell. A process whose file was removed
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
