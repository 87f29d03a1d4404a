// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

public import Foundation
@_spi(Engine) internal import Switchyard
@_spi(Engine) internal import SwitchyardCore

// Apple's method with a selector and a suspension behaviour. Methods are passed as to the
// superclass's `addObserver(_:selector:name:object:)`, the same method without the behaviour.

extension DistributedNotificationCenter {
    /// Calls a method of `observer` with every notification of a name and object, on the main
    /// actor.
    ///
    /// Linux has no selectors. In place of Apple's `#selector(added)`, pass the method itself:
    /// `Controller.added`. `observer` is held weakly.
    ///
    /// ```swift
    /// center.addObserver(
    ///     self, selector: Controller.converterAdded, name: .converterAdded, object: nil,
    ///     suspensionBehavior: .hold)
    /// ```
    /// - Parameters:
    ///   - observer: The object whose method is called.
    ///   - method: The method to call.
    ///   - name: The name to observe; nil for any.
    ///   - object: The object that notifications must have; nil for any or none.
    ///   - suspensionBehavior: The handling of notifications while the center is suspended.
    ///   - fileID: The registering file, for reports; leave it out.
    ///   - line: The line in that file; leave it out.
    @available(swift, introduced: 6)
    public func addObserver<Observer: AnyObject & Sendable>(
        _ observer: Observer,
        selector method: @escaping @Sendable (Observer) -> (Notification) -> Void,
        name: NSNotification.Name?, object: String?, suspensionBehavior: SuspensionBehavior,
        fileID: StaticString = #fileID, line: UInt = #line
    ) {
        observe(
            name, of: object, with: observer, method, options: .whenSuspended(suspensionBehavior),
            fileID: fileID, line: line)
    }

    /// Calls a method of `observer`, of a class of the main actor; otherwise like the method above.
    @available(swift, introduced: 6)
    public func addObserver<Observer: AnyObject & Sendable>(
        _ observer: Observer,
        selector method: @escaping @Sendable (Observer) -> @MainActor (Notification) -> Void,
        name: NSNotification.Name?, object: String?, suspensionBehavior: SuspensionBehavior,
        fileID: StaticString = #fileID, line: UInt = #line
    ) {
        observe(
            name, of: object, with: observer, method, options: .whenSuspended(suspensionBehavior),
            fileID: fileID, line: line)
    }

    /// Calls a method of `observer` with every notification of a name and object, on the main
    /// actor.
    ///
    /// For the Swift 5 language mode; otherwise the same as in Swift 6.
    @available(swift, obsoleted: 6)
    public func addObserver<Observer: AnyObject & Sendable>(
        _ observer: Observer,
        selector method: @escaping (Observer) -> @isolated(any) (Notification) -> Void,
        name: NSNotification.Name?, object: String?, suspensionBehavior: SuspensionBehavior,
        fileID: StaticString = #fileID, line: UInt = #line
    ) {
        observe(
            name, of: object, with: observer, method, options: .whenSuspended(suspensionBehavior),
            fileID: fileID, line: line)
    }

    /// Calls a method of `observer` for every notification of a name and object, on the main actor.
    ///
    /// Otherwise the same as for a method that takes the notification.
    @available(swift, introduced: 6)
    public func addObserver<Observer: AnyObject & Sendable>(
        _ observer: Observer,
        selector method: @escaping @Sendable (Observer) -> () -> Void,
        name: NSNotification.Name?, object: String?, suspensionBehavior: SuspensionBehavior,
        fileID: StaticString = #fileID, line: UInt = #line
    ) {
        observe(
            name, of: object, with: observer, method, options: .whenSuspended(suspensionBehavior),
            fileID: fileID, line: line)
    }

    /// Calls a method of `observer`, of a class of the main actor; otherwise like the method above.
    @available(swift, introduced: 6)
    public func addObserver<Observer: AnyObject & Sendable>(
        _ observer: Observer,
        selector method: @escaping @Sendable (Observer) -> @MainActor () -> Void,
        name: NSNotification.Name?, object: String?, suspensionBehavior: SuspensionBehavior,
        fileID: StaticString = #fileID, line: UInt = #line
    ) {
        observe(
            name, of: object, with: observer, method, options: .whenSuspended(suspensionBehavior),
            fileID: fileID, line: line)
    }

    /// Calls a method of `observer` for every notification of a name and object, on the main actor.
    ///
    /// For the Swift 5 language mode; otherwise the same as in Swift 6.
    @available(swift, obsoleted: 6)
    public func addObserver<Observer: AnyObject & Sendable>(
        _ observer: Observer,
        selector method: @escaping (Observer) -> @isolated(any) () -> Void,
        name: NSNotification.Name?, object: String?, suspensionBehavior: SuspensionBehavior,
        fileID: StaticString = #fileID, line: UInt = #line
    ) {
        observe(
            name, of: object, with: observer, method, options: .whenSuspended(suspensionBehavior),
            fileID: fileID, line: line)
    }

    /// Calls a method of `observer` with every notification of a name and object, as an
    /// `NSNotification`, on the main actor.
    ///
    /// Otherwise the same as for a method that takes the `Notification`.
    @available(swift, introduced: 6)
    @_disfavoredOverload
    public func addObserver<Observer: AnyObject & Sendable>(
        _ observer: Observer,
        selector method: @escaping @Sendable (Observer) -> (NSNotification) -> Void,
        name: NSNotification.Name?, object: String?, suspensionBehavior: SuspensionBehavior,
        fileID: StaticString = #fileID, line: UInt = #line
    ) {
        observe(
            name, of: object, with: observer, method, options: .whenSuspended(suspensionBehavior),
            fileID: fileID, line: line)
    }

    /// Calls a method of `observer`, of a class of the main actor; otherwise like the method above.
    @available(swift, introduced: 6)
    @_disfavoredOverload
    public func addObserver<Observer: AnyObject & Sendable>(
        _ observer: Observer,
        selector method: @escaping @Sendable (Observer) -> @MainActor (NSNotification) -> Void,
        name: NSNotification.Name?, object: String?, suspensionBehavior: SuspensionBehavior,
        fileID: StaticString = #fileID, line: UInt = #line
    ) {
        observe(
            name, of: object, with: observer, method, options: .whenSuspended(suspensionBehavior),
            fileID: fileID, line: line)
    }

    /// Calls a method of `observer` with every notification of a name and object, as an
    /// `NSNotification`, on the main actor.
    ///
    /// For the Swift 5 language mode; otherwise the same as in Swift 6.
    @available(swift, obsoleted: 6)
    @_disfavoredOverload
    public func addObserver<Observer: AnyObject & Sendable>(
        _ observer: Observer,
        selector method: @escaping (Observer) -> @isolated(any) (NSNotification) -> Void,
        name: NSNotification.Name?, object: String?, suspensionBehavior: SuspensionBehavior,
        fileID: StaticString = #fileID, line: UInt = #line
    ) {
        observe(
            name, of: object, with: observer, method, options: .whenSuspended(suspensionBehavior),
            fileID: fileID, line: line)
    }
}
