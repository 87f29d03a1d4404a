// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

@_spi(Engine) internal import SwitchyardCore

/// The topic and subject by which a notification from another process is matched.
package final class ReceivedTopic: Sendable {
    package let name: String
    package let object: String?
    let topic: Topic
    let subject: Subject
    /// Whether notifications of this name are for centers alone, and observers never get them.
    let isForCenters: Bool

    /// The name and object.
    var key: DistributedInterest { DistributedInterest(name: name, object: object) }

    package init(name: String, object: String?) {
        self.name = name
        self.object = object
        topic = .name(name)
        isForCenters = CenterNames.contain(name)
        subject = object.map { Subject($0) } ?? .none
    }
}
