// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
@_spi(Engine) internal import SwitchyardCore

/// A notification, or a message with a name, that a center keeps for observers that come late. It
/// does not keep its object alive, if that is an instance.
// Sendable: as its superclass.
final class RetainedNamedValue: RetainedValue<NamedPayload>, @unchecked Sendable {
    /// The object, if it is an instance, while it lives.
    private weak let object: AnyObject?
    private let hasInstance: Bool

    init(_ payload: NamedPayload, _ subject: Subject, object: Any?) {
        hasInstance = subject.isInstance
        self.object = subject.isInstance ? object as AnyObject : nil
        super.init(payload.detached(objectIsGone: subject.isInstance))
    }

    override var payload: NamedPayload? {
        guard hasInstance else { return super.payload }
        guard let object else { return nil }
        return super.payload?.about(object)
    }
}
