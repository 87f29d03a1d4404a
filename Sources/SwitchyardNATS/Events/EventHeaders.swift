// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
/// The attributes of an event, as headers of a NATS message: CloudEvents in binary mode.
///
/// [The binding](https://github.com/cloudevents/spec/blob/main/cloudevents/bindings/nats-protocol-binding.md)
/// has a header `ce-…` for each attribute, the type of the data among them; values are escaped as in
/// HTTP.
struct EventHeaders: Sendable {
    /// The process: `//host/name/number#id`.
    let source: String
    let type: String
    let subject: String?
    let contentType: String?
    var isImmediate = false

    static let id = "ce-id"
    static let source = "ce-source"
    static let time = "ce-time"
    static let contentType = "ce-datacontenttype"
    /// Where others put it, who do as HTTP does.
    static let otherContentTypes = ["content-type", "Content-Type"]
    /// An attribute of Switchyard's own: whether suspended processes get the notification as well.
    static let immediate = "ce-immediate"

    /// All but the id and the time, and the id's name: one after the other, as they stand in a message.
    ///
    /// libnats keeps headers in a table, into which each is put for itself, and from which all are
    /// written for each message. That takes four times as long as all else that it does to publish a
    /// message. It writes names as they are: so this, as one name, is written at once, with the id
    /// behind it. Values are escaped here, and contain no end of a line.
    var blockBeforeID: String {
        var lines = ["ce-specversion: 1.0", "ce-type: " + Self.escape(type)]
        lines.append(Self.source + ": " + source)
        if let subject { lines.append("ce-subject: " + Self.escape(subject)) }
        if let contentType { lines.append(Self.contentType + ": " + contentType) }
        if isImmediate { lines.append(Self.immediate + ": true") }
        return (lines + [Self.id]).joined(separator: "\r\n")
    }

    /// A value as the HTTP binding has it: everything but printable ASCII is escaped, and what
    /// delimits.
    static func escape(_ value: String) -> String {
        var bytes: [UInt8] = []
        for byte in value.utf8 {
            switch byte {
            case 0x21...0x7E where byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "%"):
                bytes.append(byte)
            default: bytes += SubjectMap.escape(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
#endif
