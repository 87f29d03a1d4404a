// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
internal import Foundation
internal import SwitchyardCore
internal import SwitchyardWire
internal import Synchronization

/// One tool that is connected: a thread that answers its questions.
final class Watcher: @unchecked Sendable {
    // Sendable: after `start`, everything belongs to the watcher's own thread.
    private let connection: FrameConnection
    private var isGreeted = false
    private var counts = false
    private var trace: ToolTrace?

    private static let watchers = Atomic<Int>(0)
    /// The number of forks before the last watcher began. Watchers that began before a fork are the
    /// parent's: the child has none of their threads, nor their connections.
    private static let generation = Atomic<UInt64>(0)
    /// Raised when the first tool has connected, and from then on.
    private static let first = ThreadSignal()

    /// The number of tools that look at this process.
    static var count: Int {
        guard generation.load(ordering: .acquiring) == switchyard_fork_generation() else {
            return 0
        }
        return watchers.load(ordering: .relaxed)
    }

    /// Returns when a tool has connected, if only for a moment; at once if one has before.
    static func waitForFirst() {
        _ = first.wait()
        // The signal is one thread's at a time, and the event is everybody's.
        first.raise()
    }

    private init(_ descriptor: Int32) {
        connection = FrameConnection(descriptor, longestFrame: InspectionFormat.longestRequest)
    }

    /// Starts the thread. On the socket's queue alone.
    ///
    /// - Returns: Whether it did; if not, the connection is still the caller's.
    static func start(_ descriptor: Int32) -> Bool {
        // In a forked child, the tools of the parent are not here.
        let process = switchyard_fork_generation()
        if generation.load(ordering: .relaxed) != process {
            watchers.store(0, ordering: .relaxed)
            generation.store(process, ordering: .releasing)
        }
        watchers.wrappingAdd(1, ordering: .relaxed)
        let error = SystemThread.tryToStart("sw-inspect") {
            Watcher(descriptor).run()
            watchers.wrappingSubtract(1, ordering: .relaxed)
        }
        if error == 0 {
            first.raise()
            return true
        }
        watchers.wrappingSubtract(1, ordering: .relaxed)
        return false
    }

    /// The milliseconds without a question after which a tool does not look on.
    private static let longestSilence: Int32 = 5_000

    private func run() {
        defer { setCounting(false) }
        let own = InspectionHello(
            process: getpid(), processName: ProcessInfo.processInfo.processName)
        do {
            try connection.send { own.write(to: &$0) }
            while true {
                // A tool that is stopped asks nothing: its tracing costs little then, until it asks
                // again.
                if let trace, try !connection.hasMore(within: Self.longestSilence) { trace.rest() }
                try connection.receive { try take($0) }
            }
        } catch {
            // The tool has gone, or does not keep to the protocol: it is left alone.
        }
    }

    private func take(_ frame: UnsafeRawBufferPointer) throws {
        var reader = ByteReader(frame)
        switch InspectionFrameType(rawValue: try reader.readUInt8()) {
        case .hello where !isGreeted:
            try InspectionHello(try reader.readBytes(count: reader.remaining)).checkVersion()
            isGreeted = true
        case .ask where isGreeted:
            try answer(&reader)
        default:
            throw WireError("an unexpected frame")
        }
    }

    private func answer(_ reader: inout ByteReader) throws {
        let number = try reader.readUInt32()
        let question = try reader.readUInt8()
        switch InspectionQuestion(rawValue: question) {
        case .registrations:
            try end(reader)
            try answer(number, question) { InspectedCenters.now.write(to: &$0) }
        case .samples:
            let looks = min(try reader.readUInt32(), InspectionFormat.mostLooks)
            let pause = InspectionFormat.pause(try reader.readUInt32())
            try end(reader)
            let samples = HandlerSamples.take(looks: looks) { [connection] in
                !connection.pause(microseconds: pause)
            }
            try answer(number, question) { samples.write(to: &$0) }
        case .counting:
            let isOn = try reader.readUInt8() != 0
            try end(reader)
            setCounting(isOn)
            try answer(number, question) { _ in }
        case .tracing:
            let eventsPerSecond = try reader.readUInt32()
            try end(reader)
            if eventsPerSecond == 0 {
                trace = nil
            } else if let trace {
                // The events that were not read yet stay.
                trace.wants(eventsPerSecond: eventsPerSecond)
            } else {
                trace = ToolTrace(eventsPerSecond: eventsPerSecond)
            }
            try answer(number, question) { _ in }
        case .events:
            try end(reader)
            guard let batch = trace?.next() else {
                return try refuse(number, "nothing is traced: ask for it first")
            }
            try answer(number, question) { batch.write(to: &$0) }
        case nil:
            try refuse(number, "there is no question \(question) in this version")
        }
    }

    /// Refuses a question with bytes behind it.
    private func end(_ reader: borrowing ByteReader) throws {
        if reader.remaining > 0 { throw WireError("bytes behind a question") }
    }

    private func refuse(_ number: UInt32, _ reason: String) throws {
        try connection.send { writer in
            writer.inspectionFrame(.refused) { writer in
                writer.append(number)
                writer.append(short: reason)
            }
        }
    }

    private func answer(
        _ number: UInt32, _ question: UInt8, _ body: (inout ByteWriter) -> Void
    ) throws {
        try connection.send { writer in
            writer.inspectionFrame(.answer) { writer in
                writer.append(number)
                writer.append(question)
                body(&writer)
            }
        }
    }

    private func setCounting(_ isOn: Bool) {
        if isOn == counts { return }
        counts = isOn
        if isOn { CenterDirectory.beginCounting() } else { CenterDirectory.endCounting() }
    }
}
