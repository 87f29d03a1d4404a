// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import SwitchyardConsole
internal import SwitchyardDistributed

/// Posts the notifications of one run of `switchyard post`.
struct Poster: ~Copyable {
    private let center: DistributedNotificationCenter
    private let backpressure: Backpressure
    private let audience: Audience
    private let name: Notification.Name
    private let object: String?
    private let options: DistributedNotificationCenter.Options
    private var info: InfoWriter
    private var posted = 0
    /// The number of posts that went to a process that had said that it observes them.
    private var heardAtOnce = 0
    private var heard: Audience.Result?

    /// The longest JSON object to read, in bytes: more than one notification can carry.
    private static let longestObject = 64 * 1024 * 1024

    /// - Parameters:
    ///   - info: encodes `userInfo`, with the common entries.
    ///   - patience: the longest time to wait for a process that reads nothing.
    init(
        _ center: DistributedNotificationCenter, name: String, object: String?,
        _ info: consuming InfoWriter, isImmediate: Bool, patience: TimeLimit
    ) {
        self.center = center
        self.name = Notification.Name(name)
        self.object = object
        self.info = info
        options = isImmediate ? .deliverImmediately : []
        audience = Audience(center)
        backpressure = Backpressure(center, patience: patience, .post)
    }

    /// Posts a notification with the entries added to `info`.
    mutating func post() throws {
        let payload = try info.take()
        let receipt = try backpressure.post {
            try center.post(name: name, object: object, payload: payload, options: options)
        }
        posted += 1
        if receipt.queued > 0 { heardAtOnce += 1 }
    }

    /// Posts a notification whose `userInfo` is the JSON object on standard input.
    ///
    /// - Throws: An error also when a signal came before the end of the input.
    mutating func postObject(from input: StandardInput) throws {
        let json = try input.readAll(limit: Self.longestObject)
        if input.isStopped {
            throw MalformedInput(
                "nothing was posted: it was ended before the end of standard input")
        }
        try json.withUnsafeBytes { try info.add(membersOf: $0) }
        try post()
    }

    /// Posts a notification for each line of standard input.
    ///
    /// - Returns: Whether all of them were posted. If not, the failures were reported.
    mutating func postLines(of input: StandardInput, asObjects: Bool) throws -> Bool {
        var number = 0
        var arePosted = true
        var isInsideLine = false
        let isAtEnd = try input.forEachLine { line in
            let isFirstPiece = !isInsideLine
            isInsideLine = line.isCut
            if isFirstPiece { number += 1 }
            // The object was refused with its first piece.
            if asObjects, !isFirstPiece { return }
            // Blank lines may separate objects.
            if asObjects, !line.isCut, line.isBlank { return }
            do {
                if asObjects {
                    if line.isCut { throw MalformedInput("it is longer than 3 MiB") }
                    try line.withBytes { try info.add(membersOf: $0) }
                } else {
                    info.add(line)
                }
                try post()
            } catch {
                arePosted = false
                info.removeAdded()
                StandardErrorLog.post.say("line \(number) was not posted: \(error)")
            }
            backpressure.didPost(bytes: line.count)
        }
        if !isAtEnd {
            StandardErrorLog.post.say(
                "it was ended after \(number) lines, before the end of standard input")
        }
        return arePosted && isAtEnd
    }

    /// Waits until everything has left this process.
    ///
    /// - Returns: Whether everything has left. If not, the reason was reported.
    mutating func finish() -> Bool {
        var result = Audience.Result(hearers: nil, others: "")
        defer { heard = result }
        return backpressure.finish { result = audience.result }
    }

    /// Waits until the other processes have said what they observe. Only then does a post know who
    /// hears it.
    ///
    /// - Returns: False if `stop` was raised meanwhile.
    func awaitAudience(within limit: TimeLimit, _ stop: StopSignal) -> Bool {
        let end = ContinuousClock.now + limit.duration
        var isReady = false
        while !isReady, !stop.isRaised, ContinuousClock.now < end {
            // In parts, so that a signal is noticed.
            let part = min(end - .now, .milliseconds(100))
            isReady = center.blockUntilReady(within: part).isEmpty
        }
        while ContinuousClock.now < end, !stop.isRaised,
            !center.peers.allSatisfy({ $0.interests != nil })
        {
            // Polled, because there is no event when the last process has said so.
            usleep(1000)
        }
        return !stop.isRaised
    }

    /// Returns whether each posted notification was heard; reports it if one was not. Call it after
    /// ``finish()``.
    func wasHeard(domain: String) -> Bool {
        // Every posted notification was heard at once. True also if nothing was posted, as with
        // `--lines` and empty input.
        if heardAtOnce == posted { return true }
        // A single notification may have been kept for a process that had not yet said what it
        // observes.
        if posted == 1, let hearers = heard?.hearers, !hearers.isEmpty { return true }
        StandardErrorLog.post.say(
            posted == 1
                ? "--strict: nobody is known to have heard it in the domain \(domain)"
                : "--strict: nobody is known to have heard \(posted - heardAtOnce) of \(posted) in the "
                    + "domain \(domain)")
        return false
    }

    /// Reports who heard the posts, if that is wanted; at a terminal, reports in any case that
    /// nobody did. Call it after ``finish()``.
    ///
    /// - Parameter isVerbose: whether a report is wanted.
    func tellWhoHeard(_ isVerbose: Bool, domain: String) {
        guard posted > 0, isVerbose || isatty(STDERR_FILENO) == 1 else { return }
        guard let heard else { return }
        let hearers = heard.hearers
        if hearers?.isEmpty == true {
            let about = object.map { " about \"\($0)\"" } ?? ""
            StandardErrorLog.post.say(
                "nobody observes \"\(name.rawValue)\"\(about) in the domain \(domain) "
                    + "(\(heard.others))")
        } else if isVerbose {
            StandardErrorLog.post.say(
                hearers.map { "it went to \($0.titles)" }
                    ?? "who heard it is not known: processes came or left meanwhile, or have not said what they observe"
            )
        }
    }
}

extension Line {
    /// Whether the line is empty or has only white space.
    fileprivate var isBlank: Bool {
        withBytes { $0.allSatisfy { $0 == UInt8(ascii: " ") || (0x09...0x0D).contains($0) } }
    }
}
