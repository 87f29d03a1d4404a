// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
/// The attributes of an event, as headers of a NATS message: CloudEvents in binary mode.
///
/// [The
/// binding](https://github.com/cloudevents/spec/blob/main/cloudevents/bindings/nats-protocol-binding.md)
/// has a header `ce-…` for each attribute, including the type of the data. Values are escaped as in
/// HTTP.
struct EventHeaders: Sendable {
    /// The process that posted the event: `//host/name/number#id`.
    let source: String
    let type: String
    let subject: String?
    let attributes: EventAttributes

    static let id = "ce-id"
    static let source = "ce-source"
    static let time = "ce-time"
    static let contentType = "ce-datacontenttype"
    /// The headers in which other publishers put the type of the data, as in HTTP.
    static let otherContentTypes = ["content-type", "Content-Type"]
    /// An attribute of Switchyard's own: whether suspended processes get the notification as well.
    static let immediate = "ce-immediate"
    /// An attribute of Switchyard's own: whether somebody traces the notification in the posting
    /// process.
    static let traced = "ce-traced"
    /// An attribute of Switchyard's own: the time of the post, in nanoseconds since 1970, if the
    /// notification is kept for observers that come late.
    static let kept = "ce-kept"

    /// The names and values of all headers except the id and the time, then the id's name, as they
    /// stand in a message.
    ///
    /// libnats keeps headers in a table: it inserts each one by itself, and writes all of them for
    /// each message. That takes four times as long as everything else that it does to publish a
    /// message. But libnats writes names as they are. So this block is set as one name, with the id
    /// as its value, and is written at once. Values are escaped here, and contain no line ends.
    var blockBeforeID: String {
        var lines = ["ce-specversion: 1.0", "ce-type: " + HeaderText.escape(type)]
        lines.append(Self.source + ": " + source)
        if let subject { lines.append("ce-subject: " + HeaderText.escape(subject)) }
        if let contentType = attributes.kind.contentType {
            lines.append(Self.contentType + ": " + contentType)
        }
        if attributes.isImmediate { lines.append(Self.immediate + ": true") }
        if attributes.isTraced { lines.append(Self.traced + ": true") }
        if let keptAt = attributes.keptAt { lines.append(Self.kept + ": \(keptAt)") }
        lines += EventContext.lines(attributes.context)
        return (lines + [Self.id]).joined(separator: "\r\n")
    }
}
#endif
