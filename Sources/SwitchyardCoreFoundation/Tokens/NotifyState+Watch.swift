// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if !canImport(Darwin)
extension NotifyState {
    mutating func watch(_ entry: inout Entry) throws(NotifyError) {
        guard entry.watchNumber == nil, let file = entry.file else { return }
        let number = try watchNumber(of: file)
        entry.watchNumber = number
        watched[number] = file.name
    }

    /// Watches a new file, and has the watch's thread make the deliveries that are due.
    mutating func watchAgain(_ entry: inout Entry) throws(NotifyError) {
        try watch(&entry)
        try entry.file?.wake()
    }

    /// Whether a registration of this process is to hear of the name's posts.
    func isHeard(_ entry: Entry) -> Bool {
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

    mutating func unwatch(_ entry: inout Entry) {
        guard let number = entry.watchNumber else { return }
        watch?.remove(number)
        watched[number] = nil
        entry.watchNumber = nil
    }
}
#endif
