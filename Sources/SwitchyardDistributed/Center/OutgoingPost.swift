// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

@_spi(Engine) internal import SwitchyardCore
internal import SwitchyardWire

/// A post of a distributed center, which goes to other processes and to the observers here.
struct OutgoingPost {
    /// The name, and its hash, which is needed here and on the way to other processes.
    let topic: Topic
    let object: String?
    /// The payload as other processes get it.
    let payload: DistributedPayload
    /// Whether suspended observers hear the post as well.
    var isImmediate = false
    /// The payload that is kept for observers that come late; nil for most posts.
    var kept: KeptPost?
    /// The wait for the handlers; nil for most posts.
    var wait: PostWait?

    var name: String { topic.name }

    /// Throws if the name or the object can't be sent.
    @inline(__always)
    func check() throws {
        if !Self.canSend(topic, object) { throw refusal }
    }

    /// Whether the name and the object can be sent.
    @inline(__always)
    static func canSend(_ topic: Topic, _ object: String?) -> Bool {
        topic.name.utf8.count <= WireFormat.longestName
            && object.map({ $0.utf8.count <= WireFormat.longestObject }) ?? true
            && !CenterNames.contain(topic.name)
    }

    private var refusal: DistributedPostError {
        if CenterNames.contain(name) {
            return DistributedPostError(
                .nameIsReserved,
                "\"\(name)\" is a name by which centers talk to each other: take another one")
        }
        if name.utf8.count > WireFormat.longestName {
            return DistributedPostError(
                .tooLong,
                "a name of \(name.utf8.count) bytes: at most \(WireFormat.longestName) can be sent")
        }
        return DistributedPostError(
            .tooLong,
            "an object of \(object?.utf8.count ?? 0) bytes: at most "
                + "\(WireFormat.longestObject) can be sent; put it into userInfo")
    }
}
