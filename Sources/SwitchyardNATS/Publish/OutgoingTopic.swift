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
    /// The length of the longest message that is kept ready, in bytes. Many topics keep messages,
    /// which need memory, and copying a longer message takes as long as making it.
    private static let longestKept = 64 * 1024

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

    /// Hands an event to libnats. If the server takes no message that is so long, the event goes
    /// without its context.
    ///
    /// - Parameter setTime: writes the time of the post at its position in the message.
    /// - Returns: The status that libnats returns, and the approximate size of the message in
    ///   bytes.
    func publish(
        _ attributes: EventAttributes, _ data: UnsafeRawBufferPointer, number: UInt64,
        topicSequence: UInt64, on connection: OpaquePointer,
        _ setTime: (UnsafeMutableRawPointer) -> Void
    ) throws -> (status: natsStatus, size: Int) {
        let message = try message(attributes, data, number: number, topicSequence: topicSequence)
        setTime(message.time)
        let status = natsConnection_PublishMsg(connection, message.handle)
        guard status == NATS_MAX_PAYLOAD, !attributes.context.isEmpty else {
            return (status, message.size)
        }
        var withoutContext = attributes
        withoutContext.context = [:]
        return try publish(
            withoutContext, data, number: number, topicSequence: topicSequence, on: connection,
            setTime)
    }

    /// Returns the message to publish next, complete except for its time. The topic owns the
    /// message, and overwrites it at the next call.
    private func message(
        _ attributes: EventAttributes, _ data: UnsafeRawBufferPointer, number: UInt64,
        topicSequence: UInt64
    ) throws -> Message {
        let message = try find(attributes, data.count)
        if let start = data.baseAddress {
            message.data.copyMemory(from: start, byteCount: data.count)
        }
        EventNumber.patch(message.reply, number: number, topicSequence: topicSequence)
        HexDigits.write16(number, to: message.id + 17)
        return message
    }

    /// Releases the ready messages, because other topics are more likely to be posted next.
    func removeMessages() {
        last = nil
        messages = []
    }

    private func find(_ attributes: EventAttributes, _ length: Int) throws -> Message {
        if let last, last.fits(attributes, length) { return last }
        let found = try messages.first { $0.fits(attributes, length) } ?? make(attributes, length)
        if found.size <= Self.longestKept { last = found }
        return found
    }

    private func make(_ attributes: EventAttributes, _ length: Int) throws -> Message {
        let event = EventNumber(
            process: process, number: 0, topic: number, topicSequence: 0, kind: attributes.kind,
            isImmediate: attributes.isImmediate, isKept: attributes.keptAt != nil)
        let headers = EventHeaders(
            source: source, type: name, subject: object, attributes: attributes)
        let message = try Message(subject, event, headers, length)
        if attributes.isForOneEvent || message.size > Self.longestKept { return message }
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
        private let attributes: EventAttributes
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
            attributes = headers.attributes
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

        func fits(_ attributes: EventAttributes, _ length: Int) -> Bool {
            self.length == length && self.attributes.isSame(as: attributes)
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
