// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

public import Foundation
@_spi(Engine) public import SwitchyardCore

extension NotificationCenter {
    /// Calls `handler` with every notification of a name, on the posting thread, and lets it end
    /// the post there.
    ///
    /// A notification that is consumed is not delivered to the observers behind this one: those of
    /// lower priority, and those that were registered later, also under another name or as a
    /// message type. Observers before it have heard it, or have it in their mailbox. It still goes
    /// to other processes, and to Foundation's center if it is to. Only a handler on the posting
    /// thread can decide in time, so there is no form with a context.
    ///
    /// - Parameters:
    ///   - name: the name to observe; nil for any.
    ///   - object: the object that it must have; nil for any or none.
    ///   - priority: the rank among the observers of a post; see `ObservationOptions.priority`.
    ///   - fileID: the registering file, for reports; leave it out.
    ///   - line: the line in that file; leave it out.
    ///   - handler: says whether the post goes on. If it throws, the error goes to the center's
    ///     problem hook, and the post goes on. A delivery that is made late, because the
    ///     observation was paused, ends nothing.
    /// - Returns: The token that ends the observation when its last copy goes.
    public func consume(
        _ name: NSNotification.Name?, of object: Any? = nil, priority: Int = 0,
        fileID: StaticString = #fileID, line: UInt = #line,
        using handler: @escaping @Sendable (Notification) throws -> Consumption
    ) -> ObservationToken {
        observe(
            name, object, NamedConsumingHandler(handler), nil, nil,
            .consuming(priority: priority), RegistrationSite(fileID, line))
    }
}
