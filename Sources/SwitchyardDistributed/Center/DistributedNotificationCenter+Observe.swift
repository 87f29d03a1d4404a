// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

public import Foundation
@_spi(Engine) public import Switchyard
@_spi(Engine) public import SwitchyardCore

// MARK: - As on Apple's systems

extension DistributedNotificationCenter {
    /// Calls a method of `observer` with every notification of a name and object, on the main actor.
    ///
    /// Apple's method with a selector, which Linux does not have: in place of `#selector(added)`, the
    /// method with its type is given, `Controller.added`. `observer` is held weakly.
    ///
    /// ```swift
    /// center.addObserver(self, selector: Controller.converterAdded, name: .converterAdded, object: nil)
    /// ```
    /// - Parameters:
    ///   - observer: whose method is called.
    ///   - method: what is called.
    ///   - name: the name to observe; nil for any.
    ///   - object: what it must be about; nil for anything or nothing.
    ///   - suspensionBehavior: what becomes of notifications while the center is suspended.
    public func addObserver<Observer: AnyObject & Sendable>(
        _ observer: Observer, selector method: @escaping (Observer) -> (Notification) -> Void,
        name: NSNotification.Name?, object: String?,
        suspensionBehavior: SuspensionBehavior = .coalesce
    ) {
        observe(
            name, of: object, with: observer, method, options: .whenSuspended(suspensionBehavior))
    }

    /// Calls a method of `observer`, of a class of the main actor; otherwise as the one above.
    public func addObserver<Observer: AnyObject & Sendable>(
        _ observer: Observer,
        selector method: @escaping (Observer) -> @MainActor (Notification) -> Void,
        name: NSNotification.Name?, object: String?,
        suspensionBehavior: SuspensionBehavior = .coalesce
    ) {
        observe(
            name, of: object, with: observer, method, options: .whenSuspended(suspensionBehavior))
    }

    /// Calls `block` with every notification of a name and object, until the observer is removed.
    ///
    /// - Parameters:
    ///   - name: the name to observe; nil for any.
    ///   - object: what it must be about; nil for anything or nothing.
    ///   - suspensionBehavior: what becomes of notifications while the center is suspended.
    ///   - queue: where `block` runs; nil: on the main actor.
    ///   - block: what is called.
    /// - Returns: What to give to `removeObserver`.
    public func addObserver(
        forName name: NSNotification.Name?, object: String?,
        suspensionBehavior: SuspensionBehavior, queue: OperationQueue? = nil,
        using block: @escaping @Sendable (Notification) -> Void
    ) -> any NSObjectProtocol {
        addObserver(
            forName: name, object: object, on: Self.mailbox(of: queue),
            options: .whenSuspended(suspensionBehavior), using: block)
    }

    /// Ends what `observer` observes under a name and object.
    ///
    /// - Parameters:
    ///   - observer: what `addObserver` returned, or an object whose methods observe.
    ///   - name: only registrations for this name; nil: for whatever name.
    ///   - object: only registrations for this object; nil: for whatever object.
    public func removeObserver(_ observer: Any, name: NSNotification.Name?, object: String?) {
        removeObserver(observer, name: name, object: object.map { $0 as Any })
    }
}

// MARK: - Switchyard's own

extension DistributedNotificationCenter {
    /// Calls `handler` with notifications as they came: with who posted them, and a payload that is
    /// decoded only when it is read.
    ///
    /// The fastest way to hear, and the one that tells of the sender.
    ///
    /// - Parameters:
    ///   - name: the name to observe; nil for any.
    ///   - object: what it must be about; nil for anything or nothing.
    ///   - context: where `handler` runs; on the main actor, unless told otherwise. `.poster`: on the
    ///     thread that receives.
    ///   - options: once, priority, bounds, what becomes of notifications while the center is
    ///     suspended.
    ///   - fileID: the registering file, for reports; leave it out.
    ///   - line: the line in that file; leave it out.
    ///   - handler: what is called. An error it throws goes to the center's problem hook.
    /// - Returns: The token that ends the observation when its last copy goes.
    public func observe(
        undecoded name: NSNotification.Name?, of object: String? = nil,
        on context: DeliveryContext = .standard, options: ObservationOptions = .standard,
        fileID: StaticString = #fileID, line: UInt = #line,
        using handler: @escaping @Sendable (ReceivedNotification) throws -> Void
    ) -> ObservationToken {
        let origin = RegistrationPlace(fileID, line)
        options.check(for: ReceivedNotification.self, origin)
        let observation = engine.add(
            ReceivedHandler(ownPeer: ownPeer, handler), topic: Topic(name),
            subject: Subject(optional: object), mailbox: engine.mailbox(of: context),
            options: options, origin: origin)
        return ObservationToken(observation, endsObservation: true)
    }
}
