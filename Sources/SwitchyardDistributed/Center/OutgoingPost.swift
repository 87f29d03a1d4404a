// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

@_spi(Engine) internal import SwitchyardCore
internal import SwitchyardWire

/// A post of a distributed center, which goes to other processes and to the observers here.
struct OutgoingPost {
    let name: String
    let object: String?
    /// The payload as other processes get it.
    let payload: DistributedPayload
    /// Whether suspended observers hear the post as well.
    var isImmediate = false
    /// The payload that is kept for observers that come late; nil for most posts.
    var kept: KeptPost?
    /// The wait for the handlers; nil for most posts.
    var wait: PostWait?

    /// Throws if the name or the object can't be sent.
    func check() throws {
        if DistributedInterest(name: name, object: nil).isForCenters {
            throw DistributedPostError(
                .nameIsReserved,
                "\"\(name)\" is a name by which centers talk to each other: take another one"
            )
        }
        if name.utf8.count > WireFormat.longestName {
            throw DistributedPostError(
                .tooLong,
                "a name of \(name.utf8.count) bytes: at most \(WireFormat.longestName) can "
                    + "be sent")
        }
        if let object, object.utf8.count > WireFormat.longestObject {
            throw DistributedPostError(
                .tooLong,
                "an object of \(object.utf8.count) bytes: at most "
                    + "\(WireFormat.longestObject) can be sent; put it into userInfo")
        }
    }
}
