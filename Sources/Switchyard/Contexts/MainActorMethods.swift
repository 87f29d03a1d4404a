// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

public import Foundation
public import SwitchyardCore

// Swift takes a method of the main actor for one that can run anywhere when it is named without an
// instance (`Window.close`), and says nothing. These overloads are what it finds for such methods
// with another context than `.main`: they say it, and keep the method where it belongs.

extension NotificationCenter {
    /// Calls a main-actor method on the main actor, whatever the context: it can't run elsewhere.
    @available(
        *, deprecated,
        message: "a method of the main actor is called there: leave `on:` out, or write `on: .main`"
    )
    @discardableResult
    public func observe<Observer: AnyObject & Sendable>(
        _ name: NSNotification.Name?, of object: Any? = nil, with observer: Observer,
        _ method: @escaping (Observer) -> @MainActor (Notification) throws -> Void,
        on context: DeliveryContext, options: ObservationOptions = .standard,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        observe(
            name, of: object, with: observer, method, on: MainContext.main, options: options,
            fileID: fileID, line: line)
    }
}

extension MessageObserving {
    /// Calls a main-actor method on the main actor, whatever the context: it can't run elsewhere.
    @available(
        *, deprecated,
        message: "a method of the main actor is called there: leave `on:` out, or write `on: .main`"
    )
    @discardableResult
    public func observe<Message: NotificationMessage, Observer: AnyObject & Sendable>(
        _ type: Message.Type, of subject: Message.Subject? = nil, with observer: Observer,
        _ method: @escaping (Observer) -> @MainActor (Message) throws -> Void,
        on context: DeliveryContext, options: ObservationOptions = .standard,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        observe(
            type, of: subject, with: observer, method, on: MainContext.main, options: options,
            fileID: fileID, line: line)
    }
}
