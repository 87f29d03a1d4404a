// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The object that an observation belongs to, as its registration says. For diagnosis alone: the
/// object lives and dies as it would without this.
struct OwnerReference: Sendable {
    /// Keeps the address from being given to another object.
    private let pin: Pin
    private let type: AnyClass
    /// The address of the object.
    let identity: UInt

    /// - Parameter owner: an object that is alive.
    init(_ owner: AnyObject) {
        let subject = Subject(instance: owner)
        pin = Pin(subject)
        type = Swift.type(of: owner)
        identity = subject.bits
    }

    /// Whether the object's deinit has begun.
    var isGone: Bool { pin.isGone }

    /// The name of the object's class, without its module.
    var typeName: String { String(describing: type) }
}
