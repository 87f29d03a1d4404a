// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
internal import Foundation
internal import SwitchyardCore
internal import SwitchyardWire

/// A process that a tool looks at.
package final class InspectableProcess {
    /// The process, by the kernel's word.
    package let number: Int32
    package private(set) var name = ""
    private let connection: FrameConnection
    /// The milliseconds within which a process answers that is not stopped.
    private let patience: Int32
    private var lastRequest: UInt32 = 0
    /// The topics of all events so far: each is sent once.
    package private(set) var topics: [UInt64: String] = [:]

    /// The processes of this user that can be inspected, by number. Sockets of dead processes are
    /// removed, and processes that do not answer in time are left out.
    ///
    /// - Parameter limit: the longest wait for all of them together.
    package static func all(within limit: Duration = .seconds(1)) throws -> [InspectableProcess] {
        try found(within: limit).answering
    }

    /// The processes of this user that listen for tools, by number. Sockets of dead processes are
    /// removed.
    ///
    /// - Parameters:
    ///   - wanted: the number of the process to greet; nil: all are greeted. The others are not
    ///     greeted, because each greeting takes the place of a tool in its process.
    ///   - limit: the longest wait for all of them together.
    /// - Returns: The processes that can be inspected; and the numbers of the others, each with the
    ///   reason: they do not answer in time, or can't be understood.
    package static func found(
        only wanted: Int32? = nil, within limit: Duration = .seconds(1)
    ) throws -> (answering: [InspectableProcess], others: [(number: Int32, reason: String)]) {
        let folder = try RuntimeFolder.forInspection()
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        let end = ContinuousClock.now + limit
        // All processes are greeted before the first is waited for: a stopped one holds up none of
        // the others.
        let found = names.filter { !$0.hasPrefix(".") }.compactMap { name in
            let socket = switchyard_socket_connect(folder.descriptor, folder.path, name)
            if socket == -ECONNREFUSED { unlinkat(folder.descriptor, name, 0) }
            return socket < 0 ? nil : try? InspectableProcess(socket, only: wanted)
        }
        var answering: [InspectableProcess] = []
        var others: [(number: Int32, reason: String)] = []
        for process in found.sorted(by: { $0.number < $1.number }) {
            do {
                try process.awaitGreeting(until: end)
                answering.append(process)
            } catch let error as InspectionError where error.hasGone {
                others.append(
                    (
                        process.number,
                        "it closes the connection at once: it has as many tools as it takes, or it is ending"
                    ))
            } catch {
                others.append((process.number, "\(error)"))
            }
        }
        return (answering, others)
    }

    /// Takes over a connected, non-blocking socket, and greets the process at its other end.
    ///
    /// - Throws: An error also if another process than `wanted` is there.
    init(_ socket: Int32, only wanted: Int32? = nil, patience: Int32 = 10_000) throws {
        self.patience = patience
        connection = FrameConnection(socket, longestFrame: InspectionFormat.longestAnswer)
        var (user, process): (UInt32, Int32) = (0, 0)
        guard switchyard_socket_peer(socket, &user, &process) == 0, user == geteuid() else {
            throw InspectionError("a process of another user listens there")
        }
        if let wanted, wanted != process {
            throw InspectionError("process \(process) listens there, and \(wanted) is wanted")
        }
        number = process
        let own = InspectionHello(
            process: getpid(), processName: ProcessInfo.processInfo.processName)
        do {
            try connection.send { own.write(to: &$0) }
        } catch let error as InspectionError where error.hasGone {
            // The wait for the answer finds it, too, and can name the process.
        }
    }

    private func awaitGreeting(until end: ContinuousClock.Instant) throws {
        var greeting: InspectionHello?
        while greeting == nil {
            try connection.receive(within: Self.milliseconds(until: end)) { frame in
                guard frame.first == InspectionFrameType.hello.rawValue else {
                    throw WireError("an unexpected frame")
                }
                greeting = try InspectionHello(UnsafeRawBufferPointer(rebasing: frame[1...]))
            }
            if greeting == nil { try Self.check(end) }
        }
        try greeting?.checkVersion()
        name = greeting?.processName ?? ""
    }

    /// Gives up a process that does not answer, so that it does nothing for this tool any more.
    package func giveUp() { connection.end() }

    /// Whether this is what a user means by a process's number or name.
    package func isCalled(_ text: String) -> Bool { text == name || text == "\(number)" }

    /// The centers and registrations, as they are now.
    package func centers() throws -> InspectedCenters {
        var found: InspectedCenters?
        try ask(.registrations) { _ in
        } read: {
            found = try InspectedCenters(&$0)
        }
        return found ?? InspectedCenters([])
    }

    /// Looks which handlers the process's threads are in.
    ///
    /// - Parameters:
    ///   - looks: how often; 100,000 at most.
    ///   - pause: the microseconds between two looks; 100 at least.
    package func samples(looks: UInt32, pause: UInt32) throws -> HandlerSamples {
        var found: HandlerSamples?
        let milliseconds = Int32(clamping: UInt64(looks) * UInt64(pause) / 1000)
        try ask(.samples, for: min(milliseconds, 1_000_000)) {
            $0.append(looks)
            $0.append(pause)
        } read: {
            found = try HandlerSamples(&$0)
        }
        return found ?? HandlerSamples(looks: 0, threads: [])
    }

    /// Has the process count deliveries on the posting thread, as long as this connection lasts.
    package func count() throws {
        try ask(.counting) {
            $0.append(UInt8(1))
        } read: { _ in
        }
    }

    /// Has the process trace posts, as long as this connection lasts, for ``events()``.
    ///
    /// - Parameter eventsPerSecond: the number of events a second to aim at: of busy programs, some
    ///   posts are traced, not all.
    package func trace(eventsPerSecond: UInt32) throws {
        try ask(.tracing) {
            $0.append(max(eventsPerSecond, 1))
        } read: { _ in
        }
    }

    /// Has the process neither count nor trace any longer. It then pays nothing for this
    /// connection.
    package func rest() throws {
        try ask(.counting) {
            $0.append(UInt8(0))
        } read: { _ in
        }
        try ask(.tracing) {
            $0.append(UInt32(0))
        } read: { _ in
        }
    }

    /// The trace events since the last call. A thread keeps 4,096, so call it some times a second.
    package func events() throws -> TraceBatch? {
        var found: TraceBatch?
        try ask(.events) { _ in
        } read: {
            found = try TraceBatch(&$0)
        }
        return noted(found)
    }

    private func noted(_ batch: TraceBatch?) -> TraceBatch? {
        for topic in batch?.topics ?? [] { topics[topic.id] = topic.text }
        return batch
    }

    /// The time that is left: none, if the end has passed.
    private static func milliseconds(until end: ContinuousClock.Instant) -> Int32 {
        Int32(max(0, (end - .now) / .milliseconds(1)))
    }

    /// - Throws: An error if the end has passed, though the other end sends something.
    private static func check(_ end: ContinuousClock.Instant) throws {
        if .now >= end { throw InspectionError.silent }
    }
}

// MARK: - Questions

extension InspectableProcess {
    /// A question that was sent, and that one answer belongs to. The next may be sent after that.
    package struct Asked {
        fileprivate let request: UInt32
        fileprivate let question: InspectionQuestion
        /// The time at which the process is given up.
        fileprivate let end: ContinuousClock.Instant
    }

    /// Sends the question of ``events()``: several processes can be asked before the first answers.
    package func askForEvents() throws -> Asked { try send(.events) }

    /// The answer to a question for events; nil if it has not come within a time.
    package func events(_ asked: Asked, within milliseconds: Int32) throws -> TraceBatch? {
        var found: TraceBatch?
        try receive(asked, within: milliseconds) { found = try TraceBatch(&$0) }
        return noted(found)
    }

    /// Sends the question of ``centers()``.
    package func askForCenters() throws -> Asked { try send(.registrations) }

    /// The answer to a question for centers; nil if it has not come within a time.
    package func centers(_ asked: Asked, within milliseconds: Int32) throws -> InspectedCenters? {
        var found: InspectedCenters?
        try receive(asked, within: milliseconds) { found = try InspectedCenters(&$0) }
        return found
    }

    /// - Parameter milliseconds: the time that the answer takes anyway.
    private func ask(
        _ question: InspectionQuestion, for milliseconds: Int32 = 0,
        _ body: (inout ByteWriter) -> Void, read: (inout ByteReader) throws -> Void
    ) throws {
        let asked = try send(question, for: milliseconds, body)
        try receive(asked, until: asked.end, read)
    }

    private func send(
        _ question: InspectionQuestion, for milliseconds: Int32 = 0,
        _ body: (inout ByteWriter) -> Void = { _ in }
    ) throws -> Asked {
        lastRequest += 1
        let request = lastRequest
        try connection.send { writer in
            writer.inspectionFrame(.ask) { writer in
                writer.append(request)
                writer.append(question.rawValue)
                body(&writer)
            }
        }
        let end = ContinuousClock.now + .milliseconds(milliseconds + patience)
        return Asked(request: request, question: question, end: end)
    }

    /// - Throws: An error also if the process has not answered for so long that it is given up.
    private func receive(
        _ asked: Asked, within milliseconds: Int32, _ read: (inout ByteReader) throws -> Void
    ) throws {
        let soon = ContinuousClock.now + .milliseconds(milliseconds)
        do {
            try receive(asked, until: min(soon, asked.end), read)
        } catch let error as InspectionError where error.isSilence && .now < asked.end {
            return
        }
    }

    private func receive(
        _ asked: Asked, until end: ContinuousClock.Instant,
        _ read: (inout ByteReader) throws -> Void
    ) throws {
        var isAnswered = false
        while !isAnswered {
            // Other frames that come meanwhile do not prolong the wait.
            try connection.receive(within: Self.milliseconds(until: end)) { frame in
                var reader = ByteReader(frame)
                let type = InspectionFrameType(rawValue: try reader.readUInt8())
                guard try reader.readUInt32() == asked.request else { return }
                if type == .refused { throw InspectionError(try reader.shortString()) }
                guard type == .answer, try reader.readUInt8() == asked.question.rawValue else {
                    throw WireError("an unexpected frame")
                }
                try read(&reader)
                isAnswered = true
            }
            if !isAnswered { try Self.check(end) }
        }
    }
}
