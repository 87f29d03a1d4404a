// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardCore
internal import SwitchyardWire

/// The centers of a process with their registrations, as they travel.
package struct InspectedCenters: Equatable, Sendable {
    /// One center.
    package struct Center: Equatable, Sendable {
        /// The center's number in the order of creation.
        package var number: UInt64
        package var name: String
        /// Observer objects that had died when something was to be delivered to them, so far.
        package var expired: UInt64
        package var registrations: [Registration]
        /// The findings: things in them that look like mistakes.
        package var findings: [Finding]
    }

    /// Something that looks like a mistake.
    package struct Finding: Equatable, Sendable {
        /// The name of the kind, as ``CenterFinding/Kind`` has it.
        package var kind: String
        /// A sentence.
        package var text: String
    }

    /// One registration.
    package struct Registration: Equatable, Sendable {
        /// Identifies it in samples.
        package var id: UInt64
        /// The registration's rank in the order of registration.
        package var sequence: UInt64
        package var topic: String
        package var object: String
        package var context: String
        package var file: String
        package var line: UInt32
        package var priority: Int32
        package var flags: Flags
        package var delivered: UInt64
        package var lost: UInt64
        /// Posts that its condition has turned away.
        package var filtered: UInt64 = 0
        /// Posts that its handler has consumed.
        package var consumed: UInt64 = 0
        package var depth: UInt32
        /// The group in which it shares its posts with others; empty if it hears them all.
        package var group: String = ""
        /// A number that the registrations of one mailbox share, and no others at that moment; 0
        /// without a mailbox.
        package var mailbox: UInt64 = 0
    }

    /// The yes-or-no properties of a registration.
    package struct Flags: OptionSet, Sendable {
        package let rawValue: UInt16
        package init(rawValue: UInt16) { self.rawValue = rawValue }

        package static let once = Flags(rawValue: 1)
        package static let queued = Flags(rawValue: 2)
        package static let concurrent = Flags(rawValue: 4)
        /// The registration's handler runs at this moment.
        package static let inFlight = Flags(rawValue: 8)
        /// Its context has ended, so that the handler is not called there any more.
        package static let contextHasEnded = Flags(rawValue: 16)
        /// The object whose method is called has died.
        package static let observerIsGone = Flags(rawValue: 32)
        /// The observed object has died.
        package static let objectIsGone = Flags(rawValue: 64)
        /// Its deliveries are kept until the pause ends.
        package static let paused = Flags(rawValue: 128)
        /// The observed object is a string.
        package static let objectIsString = Flags(rawValue: 256)
    }

    package var centers: [Center]

    init(_ centers: [Center]) { self.centers = centers }
}

extension InspectedCenters.Registration {
    /// The file and line where it was registered; the file alone if the line is not known.
    package var origin: String { line == 0 ? file : "\(file):\(line)" }
}

// MARK: - In this process

extension InspectedCenters {
    /// The centers of this process, as they are now.
    static var now: InspectedCenters {
        InspectedCenters(
            CenterDirectory.centers.map { center in
                let registrations = center.registrations
                return Center(
                    number: center.number, name: center.name, expired: center.expired,
                    registrations: registrations.map(Registration.init),
                    findings: center.findings(in: registrations).map {
                        Finding(kind: $0.kind.description, text: $0.description)
                    })
            })
    }
}

extension InspectedCenters.Registration {
    fileprivate init(_ registration: InspectedRegistration) {
        let entry = registration.entry
        self.init(
            id: registration.id, sequence: entry.sequence, topic: entry.topic,
            object: entry.object, context: entry.context, file: entry.origin.file,
            line: UInt32(clamping: entry.origin.line),
            priority: Int32(clamping: entry.options.priority), flags: .init(registration),
            delivered: entry.delivered, lost: entry.lost, filtered: entry.filtered,
            consumed: entry.consumed, depth: UInt32(clamping: entry.queueDepth),
            group: entry.options.group ?? "",
            mailbox: registration.mailbox.map { UInt64(UInt(bitPattern: $0)) } ?? 0)
    }
}

extension InspectedCenters.Flags {
    fileprivate init(_ registration: InspectedRegistration) {
        let entry = registration.entry
        self = []
        if entry.options.isOnce { insert(.once) }
        if entry.options.isQueued { insert(.queued) }
        if entry.options.isConcurrent { insert(.concurrent) }
        if entry.isInFlight { insert(.inFlight) }
        if entry.contextHasEnded { insert(.contextHasEnded) }
        if entry.observerIsGone { insert(.observerIsGone) }
        if entry.objectIsGone { insert(.objectIsGone) }
        if entry.isPaused { insert(.paused) }
        if registration.objectIsString { insert(.objectIsString) }
    }
}

// MARK: - As bytes

extension InspectedCenters {
    func write(to writer: inout ByteWriter) {
        writer.append(UInt32(clamping: centers.count))
        for center in centers {
            writer.append(center.number)
            writer.append(short: center.name)
            writer.append(center.expired)
            writer.append(UInt32(clamping: center.registrations.count))
            for registration in center.registrations { registration.write(to: &writer) }
            writer.append(UInt32(clamping: center.findings.count))
            for finding in center.findings {
                writer.append(short: finding.kind)
                writer.append(short: finding.text)
            }
        }
    }

    init(_ reader: inout ByteReader) throws {
        centers = []
        for _ in 0..<(try reader.readCount(ofSize: 26)) { centers.append(try Center(&reader)) }
    }
}

extension InspectedCenters.Center {
    fileprivate init(_ reader: inout ByteReader) throws {
        number = try reader.readUInt64()
        name = try reader.shortString()
        expired = try reader.readUInt64()
        registrations = []
        for _ in 0..<(try reader.readCount(ofSize: 80)) {
            registrations.append(try InspectedCenters.Registration(&reader))
        }
        findings = []
        for _ in 0..<(try reader.readCount(ofSize: 4)) {
            let kind = try reader.shortString()
            findings.append(InspectedCenters.Finding(kind: kind, text: try reader.shortString()))
        }
    }
}

extension InspectedCenters.Registration {
    fileprivate func write(to writer: inout ByteWriter) {
        writer.append(id)
        writer.append(sequence)
        for text in [topic, object, context, file] { writer.append(short: text) }
        writer.append(line)
        writer.append(UInt32(bitPattern: priority))
        writer.append(flags.rawValue)
        writer.append(delivered)
        writer.append(lost)
        writer.append(filtered)
        writer.append(consumed)
        writer.append(depth)
        writer.append(short: group)
        writer.append(mailbox)
    }

    fileprivate init(_ reader: inout ByteReader) throws {
        id = try reader.readUInt64()
        sequence = try reader.readUInt64()
        topic = try reader.shortString()
        object = try reader.shortString()
        context = try reader.shortString()
        file = try reader.shortString()
        line = try reader.readUInt32()
        priority = Int32(bitPattern: try reader.readUInt32())
        flags = InspectedCenters.Flags(rawValue: try reader.readUInt16())
        delivered = try reader.readUInt64()
        lost = try reader.readUInt64()
        filtered = try reader.readUInt64()
        consumed = try reader.readUInt64()
        depth = try reader.readUInt32()
        group = try reader.shortString()
        mailbox = try reader.readUInt64()
    }
}
