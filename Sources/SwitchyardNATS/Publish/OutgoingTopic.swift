// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import CNATS
internal import SwitchyardDistributed

/// A name and an object under which this process posts, with libnats messages ready to publish.
///
/// libnats takes ten times as long to make a message as to publish one. So a message is made once
/// for each kind and length of data, and reused with its changing parts overwritten. Guard: the
/// queue's lock.
final class OutgoingTopic {
    let name: String
    let object: String?
    private let subject: String
    private let number: UInt32
    private let process: UInt64
    private let source: String
    /// The number of the topic's next notification.
    var nextSequence: UInt64 = 1
    private var messages: [Message] = []
    private var last: Message?
    private var oldest = 0

    /// The number of messages kept ready; enough for the usual lengths of a topic's data.
    private static let mostMessages = 8

    init(
        name: String, object: String?, subject: String, number: UInt32, process: UInt64,
        source: String
    ) {
        self.name = name
        self.object = object
        self.subject = subject
        self.number = number
        self.process = process
        self.source = source
    }

    /// Returns the message to publish next, complete except for its time. The topic owns the
    /// message, and overwrites it at the next call.
    func message(
        _ kind: EventKind, _ data: UnsafeRawBufferPointer, isImmediate: Bool,
        isTraced: Bool, keptAt: UInt64? = nil, number: UInt64, topicSequence: UInt64
    ) throws -> Message {
        let message =
            try keptAt.map { try makeKept(kind, data.count, isImmediate, isTraced, at: $0) }
            ?? find(kind, data.count, isImmediate, isTraced)
        if let start = data.baseAddress {
            message.data.copyMemory(from: start, byteCount: data.count)
        }
        EventNumber.patch(message.reply, number: number, topicSequence: topicSequence)
        HexDigits.write16(number, to: message.id + 17)
        return message
    }

    func message(
        _ kind: EventKind, _ data: [UInt8], isImmediate: Bool, isTraced: Bool,
        keptAt: UInt64? = nil, number: UInt64, topicSequence: UInt64
    ) throws -> Message {
        try data.withUnsafeBytes {
            try message(
                kind, $0, isImmediate: isImmediate, isTraced: isTraced, keptAt: keptAt,
                number: number, topicSequence: topicSequence)
        }
    }

    /// Releases the ready messages, because other topics are more likely to be posted next.
    func removeMessages() {
        last = nil
        messages = []
    }

    private func find(
        _ kind: EventKind, _ length: Int, _ isImmediate: Bool, _ isTraced: Bool
    ) throws -> Message {
        if let last, last.fits(kind, length, isImmediate, isTraced) { return last }
        let found =
            try messages.first { $0.fits(kind, length, isImmediate, isTraced) }
            ?? make(kind, length, isImmediate, isTraced)
        last = found
        return found
    }

    /// Makes a message that is used once, because its headers have its time.
    private func makeKept(
        _ kind: EventKind, _ length: Int, _ isImmediate: Bool, _ isTraced: Bool, at time: UInt64
    ) throws -> Message {
        let message = try newMessage(kind, length, isImmediate, isTraced, keptAt: time)
        last = message
        return message
    }

    private func newMessage(
        _ kind: EventKind, _ length: Int, _ isImmediate: Bool, _ isTraced: Bool,
        keptAt: UInt64? = nil
    ) throws -> Message {
        let event = EventNumber(
            process: process, number: 0, topic: number, topicSequence: 0, kind: kind,
            isImmediate: isImmediate, isKept: keptAt != nil)
        let headers = EventHeaders(
            source: source, type: name, subject: object, contentType: kind.contentType,
            isImmediate: isImmediate, isTraced: isTraced, keptAt: keptAt)
        return try Message(subject, event, headers, length)
    }

    private func make(
        _ kind: EventKind, _ length: Int, _ isImmediate: Bool, _ isTraced: Bool
    ) throws -> Message {
        let message = try newMessage(kind, length, isImmediate, isTraced)
        if messages.count < Self.mostMessages {
            messages.append(message)
        } else {
            messages[oldest % Self.mostMessages] = message
            oldest += 1
        }
        return message
    }

    /// A libnats message, and the positions in it of the parts that change. The memory is libnats's
    /// own. libnats returns constant pointers to it because most callers only read; but the memory
    /// is not shared, and publishing copies it.
    final class Message {
        let handle: OpaquePointer
        let event: EventNumber
        private let isTraced: Bool
        /// The length of the data, in bytes.
        let length: Int
        /// The approximate length of the whole message as it is sent, in bytes.
        let size: Int
        let data: UnsafeMutableRawPointer
        let reply: UnsafeMutableRawPointer
        let id: UnsafeMutableRawPointer
        let time: UnsafeMutableRawPointer

        init(
            _ subject: String, _ event: EventNumber, _ headers: EventHeaders, _ length: Int
        ) throws {
            self.event = event
            isTraced = headers.isTraced
            self.length = length
            let reply = String(decoding: event.subject, as: UTF8.self)
            let space = [CChar](repeating: 0x20, count: max(1, length))
            var made: OpaquePointer?
            try NATSError.check(
                natsMsg_Create(&made, subject, reply, space, Int32(length)), "make a message")
            guard let handle = made else { throw NATSError("there is no memory for a message") }
            self.handle = handle
            let block = headers.blockBeforeID
            size = length + block.utf8.count + subject.utf8.count + EventNumber.length + 128
            let id = HexDigits.text16(event.process) + "-" + HexDigits.text16(0)
            let time = String(repeating: "0", count: EventTime.length)
            do {
                try NATSError.check(natsMsgHeader_Set(handle, block, id), "set headers")
                try NATSError.check(
                    natsMsgHeader_Set(handle, EventHeaders.time, time), "set headers")
                self.id = try Self.position(of: block, in: handle)
                self.time = try Self.position(of: EventHeaders.time, in: handle)
            } catch {
                natsMsg_Destroy(handle)
                throw error
            }
            data = Self.writable(natsMsg_GetData(handle))
            self.reply = Self.writable(natsMsg_GetReply(handle))
        }

        deinit { natsMsg_Destroy(handle) }

        func fits(
            _ kind: EventKind, _ length: Int, _ isImmediate: Bool, _ isTraced: Bool
        ) -> Bool {
            self.length == length && event.kind == kind && event.isImmediate == isImmediate
                && self.isTraced == isTraced && !event.isKept
        }

        private static func position(
            of header: String, in handle: OpaquePointer
        ) throws -> UnsafeMutableRawPointer {
            var value: UnsafePointer<CChar>?
            try NATSError.check(natsMsgHeader_Get(handle, header, &value), "find a header")
            return writable(value)
        }

        private static func writable(
            _ pointer: UnsafePointer<CChar>?
        ) -> UnsafeMutableRawPointer {
            guard let pointer else {
                preconditionFailure("libnats keeps the pointer that it was given")
            }
            return UnsafeMutableRawPointer(mutating: pointer)
        }
    }
}
#endif
