// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import CNATS
internal import Foundation
internal import SwitchyardDistributed

/// A libnats message that has come. Its owner destroys it after the delivery.
struct IncomingEvent {
    let handle: OpaquePointer
    /// The numbers that a Switchyard process gave the event; nil if another program sent it.
    let number: EventNumber?

    init(_ handle: OpaquePointer) {
        self.handle = handle
        number = natsMsg_GetReply(handle).flatMap { EventNumber($0) }
    }

    var subject: UnsafePointer<CChar>? { natsMsg_GetSubject(handle) }

    var data: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(
            start: natsMsg_GetData(handle), count: Int(natsMsg_GetDataLength(handle)))
    }

    var kind: EventKind {
        number?.kind ?? EventKind(contentType: contentType, data)
    }

    private var contentType: String? {
        if let type = header(EventHeaders.contentType) { return type }
        for name in EventHeaders.otherContentTypes {
            if let type = header(name) { return type }
        }
        return nil
    }

    /// Whether suspended processes receive the event as well.
    var isImmediate: Bool { number?.isImmediate ?? (header(EventHeaders.immediate) == "true") }

    /// Whether somebody traces the event in the posting process.
    var isTraced: Bool { header(EventHeaders.traced) == "true" }

    /// The time of the post, if the event is kept for observers that come late.
    var keptAt: UInt64? {
        if number?.isKept == false { return nil }
        return header(EventHeaders.kept).flatMap { UInt64($0) }
    }

    /// The context of the event, beside its payload, such as the identifiers of a trace; nil if it
    /// has none. This reads all headers.
    var context: [String: String]? {
        let context = EventContext.read(headerNames, header)
        return context.isEmpty ? nil : context
    }

    /// The names of all headers.
    var headerNames: [String] {
        var names: UnsafeMutablePointer<UnsafePointer<CChar>?>?
        var count: Int32 = 0
        guard natsMsgHeader_Keys(handle, &names, &count) == NATS_OK, let names else { return [] }
        defer { free(names) }
        return (0..<Int(count)).compactMap { names[$0].map { String(cString: $0) } }
    }

    /// Returns the value of a header. The first search in a message is slow: libnats makes a table
    /// of all headers.
    func header(_ name: String) -> String? {
        var value: UnsafePointer<CChar>?
        guard natsMsgHeader_Get(handle, name, &value) == NATS_OK, let value else { return nil }
        return String(cString: value)
    }

    /// A text that identifies another program's event, to detect duplicates; nil if the event has
    /// no id.
    var identity: String? {
        guard let id = header(EventHeaders.id) else { return nil }
        return (header(EventHeaders.source) ?? "") + " " + id
    }
}
#endif
