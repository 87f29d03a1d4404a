// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import SwitchyardDistributed

/// Posts what `switchyard post` was given.
struct Poster: ~Copyable {
    private let center: DistributedNotificationCenter
    private let outflow: Outflow
    private let audience: Audience
    private let name: Notification.Name
    private let object: String?
    private let options: DistributedNotificationCenter.Options
    private var info: InfoWriter
    private var posted = 0

    /// More than what one notification carries, written in JSON.
    private static let longestObject = 64 * 1024 * 1024

    /// - Parameters:
    ///   - info: what writes `userInfo`, with what stands in all of them.
    ///   - patience: how long to wait for a process that reads nothing.
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
        outflow = Outflow(center, patience: patience, .post)
    }

    /// Posts one with what was added.
    mutating func post() throws {
        try center.post(name: name, object: object, payload: try info.take(), options: options)
        posted += 1
    }

    /// Posts one whose `userInfo` is the JSON object that standard input is.
    ///
    /// - Throws: also when a signal came before the end of it.
    mutating func postObject(from input: StandardInput) throws {
        let json = try input.readAll(limit: Self.longestObject)
        if input.isStopped {
            throw MalformedInput(
                "nothing was posted: it was ended before the end of standard input")
        }
        try json.withUnsafeBytes { try info.add(membersOf: $0) }
        try post()
    }

    /// Posts one for each line of standard input.
    ///
    /// - Returns: Whether all of them were posted; it was told which were not.
    mutating func postLines(of input: StandardInput, asObjects: Bool) throws -> Bool {
        var number = 0
        var arePosted = true
        try input.forEachLine { line in
            number += 1
            // A line without anything in it separates objects.
            if asObjects, line.isBlank { return }
            do {
                if asObjects {
                    try line.withBytes { try info.add(membersOf: $0) }
                } else {
                    info.add(line)
                }
                try post()
            } catch {
                arePosted = false
                info.removeAdded()
                Notices.post.say("line \(number) was not posted: \(error)")
            }
            outflow.didPost(bytes: line.count)
        }
        return arePosted
    }

    /// Waits until everything has left this process.
    ///
    /// - Returns: Whether it has; it was told what is in the way.
    func finish() -> Bool { outflow.finish() }

    /// Says who heard it, or at least, where people look, that nobody did. After ``finish()``.
    ///
    /// - Parameter isVerbose: whether that is wanted.
    func tellWhoHeard(_ isVerbose: Bool, domain: String) {
        guard posted > 0, isVerbose || isatty(STDERR_FILENO) == 1 else { return }
        let hearers = audience.hearers
        if hearers?.isEmpty == true {
            let about = object.map { " about \"\($0)\"" } ?? ""
            Notices.post.say(
                "nobody observes \"\(name.rawValue)\"\(about) in the domain \(domain) "
                    + "(\(audience.others))")
        } else if isVerbose {
            Notices.post.say(
                hearers.map { "it went to \($0.titles)" }
                    ?? "who heard it is not known: processes came or left meanwhile")
        }
    }
}

extension Line {
    /// Whether it is empty, or there is only space in it.
    fileprivate var isBlank: Bool {
        withBytes { $0.allSatisfy { $0 == UInt8(ascii: " ") || (0x09...0x0D).contains($0) } }
    }
}
