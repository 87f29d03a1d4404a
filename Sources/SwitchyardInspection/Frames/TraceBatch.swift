// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

package import SwitchyardCore
internal import SwitchyardWire

/// The trace events of a process since the last batch, as they travel.
package struct TraceBatch: Equatable, Sendable {
    /// The events of one thread, in their order. The thread is that of the newest
    /// ``TraceEvent/Kind/thread`` event, or, before the first, ``number``.
    package struct Thread: Equatable, Sendable {
        /// The number of the thread's ring, which tells threads apart that have the same number in
        /// turn.
        package var ring: UInt64
        /// The system's number of the thread.
        package var number: Int32
        package var name: String
        /// The number of events that were overwritten before they could be read.
        package var overwritten: UInt64
        package var events: [TraceEvent]
    }

    /// A topic, which events have by its number.
    package struct Topic: Equatable, Sendable {
        package var id: UInt64
        package var text: String
    }

    /// A call site, which events have by its number.
    package struct Site: Equatable, Sendable {
        package var number: UInt32
        /// The return addresses, the innermost first.
        package var frames: [Frame]
    }

    /// A return address, as it stands in a file.
    package struct Frame: Hashable, Sendable {
        /// The path of the program or library; empty if it is not known.
        package var module: String
        package var offset: UInt64
    }

    /// The time at which the batch was made.
    package var clock: TraceClock.Reading
    /// One post in this many was traced at that time.
    package var interval: UInt32
    /// The topics and sites that were not in an earlier batch.
    package var topics: [Topic]
    package var sites: [Site]
    package var threads: [Thread]
}

// MARK: - As bytes

extension TraceBatch {
    func write(to writer: inout ByteWriter) {
        writer.append(clock.ticks)
        writer.append(clock.nanoseconds)
        writer.append(interval)
        writer.append(UInt32(clamping: topics.count))
        for topic in topics {
            writer.append(topic.id)
            writer.append(short: topic.text)
        }
        writer.append(UInt32(clamping: sites.count))
        for site in sites { site.write(to: &writer) }
        writer.append(UInt32(clamping: threads.count))
        for thread in threads { thread.write(to: &writer) }
    }

    init(_ reader: inout ByteReader) throws {
        let ticks = try reader.readUInt64()
        clock = TraceClock.Reading(ticks: ticks, nanoseconds: try reader.readUInt64())
        interval = try reader.readUInt32()
        topics = []
        for _ in 0..<(try reader.readCount(ofSize: 10)) {
            let id = try reader.readUInt64()
            topics.append(Topic(id: id, text: try reader.shortString()))
        }
        sites = []
        for _ in 0..<(try reader.readCount(ofSize: 8)) { sites.append(try Site(&reader)) }
        threads = []
        for _ in 0..<(try reader.readCount(ofSize: 26)) { threads.append(try Thread(&reader)) }
    }
}

extension TraceBatch.Site {
    fileprivate func write(to writer: inout ByteWriter) {
        writer.append(number)
        writer.append(UInt32(clamping: frames.count))
        for frame in frames {
            writer.append(frame.offset)
            writer.append(short: frame.module)
        }
    }

    fileprivate init(_ reader: inout ByteReader) throws {
        number = try reader.readUInt32()
        frames = []
        for _ in 0..<(try reader.readCount(ofSize: 10)) {
            let offset = try reader.readUInt64()
            frames.append(TraceBatch.Frame(module: try reader.shortString(), offset: offset))
        }
    }
}

extension TraceBatch.Thread {
    fileprivate func write(to writer: inout ByteWriter) {
        writer.append(ring)
        writer.append(UInt32(bitPattern: number))
        writer.append(short: name)
        writer.append(overwritten)
        writer.append(UInt32(clamping: events.count))
        for event in events {
            for word in event.words { writer.append(word) }
        }
    }

    fileprivate init(_ reader: inout ByteReader) throws {
        ring = try reader.readUInt64()
        number = Int32(bitPattern: try reader.readUInt32())
        name = try reader.shortString()
        overwritten = try reader.readUInt64()
        events = []
        for _ in 0..<(try reader.readCount(ofSize: 32)) {
            var words: [UInt64] = []
            for _ in 0..<4 { words.append(try reader.readUInt64()) }
            // Kinds that a later version has are passed over.
            if let event = TraceEvent(words: words) { events.append(event) }
        }
    }
}
