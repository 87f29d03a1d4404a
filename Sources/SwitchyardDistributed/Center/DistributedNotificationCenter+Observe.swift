// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

public import Foundation
@_spi(Engine) public import Switchyard
@_spi(Engine) public import SwitchyardCore

// MARK: - As on Apple's systems

extension DistributedNotificationCenter {
    /// Calls `block` with every notification of a name and object, until the observer is removed.
    ///
    /// - Parameters:
    ///   - name: The name to observe; nil for any.
    ///   - object: The object that notifications must have; nil for any or none.
    ///   - suspensionBehavior: The handling of notifications while the center is suspended.
    ///   - queue: The queue on which `block` runs; nil for the main actor.
    ///   - block: The block to call.
    /// - Returns: The observer, for `removeObserver`.
    public func addObserver(
        forName name: NSNotification.Name?, object: String?,
        suspensionBehavior: SuspensionBehavior, queue: OperationQueue? = nil,
        using block: @escaping @Sendable (Notification) -> Void
    ) -> any NSObjectProtocol {
        addObserver(
            forName: name, object: object, on: Self.mailbox(of: queue),
            options: .whenSuspended(suspensionBehavior), using: block)
    }

    /// Ends the observations of `observer` for a name and object.
    ///
    /// - Parameters:
    ///   - observer: The value that `addObserver` returned, or an object whose methods observe.
    ///   - name: The name whose registrations end; nil for all names.
    ///   - object: The object whose registrations end; nil for all objects.
    public func removeObserver(_ observer: Any, name: NSNotification.Name?, object: String?) {
        removeObserver(observer, name: name, object: object.map { $0 as Any })
    }
}

// MARK: - Switchyard's own

extension DistributedNotificationCenter {
    /// Calls `handler` with notifications as they came: with the process that posted them, and a
    /// payload that is decoded only when it is read.
    ///
    /// The fastest way to observe, and the only one that tells which process posted.
    ///
    /// - Parameters:
    ///   - name: The name to observe; nil for any.
    ///   - object: The object that notifications must have; nil for any or none.
    ///   - context: The context in which `handler` runs; the main actor by default. `.poster` is
    ///     the thread that receives, or for this process's own posts the posting thread.
    ///   - options: Once, priority, bounds, and the handling of notifications while the center is
    ///     suspended.
    ///   - fileID: The registering file, for reports; leave it out.
    ///   - line: The line in that file; leave it out.
    ///   - handler: The handler to call. An error that it throws goes to the center's problem hook.
    /// - Returns: The token that ends the observation when its last copy is released.
    public func observe(
        undecoded name: NSNotification.Name?, of object: String? = nil,
        on context: DeliveryContext = .standard, options: ObservationOptions = .standard,
        fileID: StaticString = #fileID, line: UInt = #line,
        using handler: @escaping @Sendable (ReceivedNotification) throws -> Void
    ) -> ObservationToken {
        let origin = RegistrationSite(fileID, line)
        options.check(for: ReceivedNotification.self, origin)
        let observation = engine.add(
            ReceivedHandler(ownPeer: ownPeer, handler), topic: Topic(name),
            subject: Subject(optional: object), mailbox: engine.mailbox(of: context),
            options: options, origin: origin)
        return ObservationToken(observation, endsObservation: true)
    }
}
