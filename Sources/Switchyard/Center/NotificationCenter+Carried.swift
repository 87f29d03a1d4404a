// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

package import Foundation
@_spi(Engine) package import SwitchyardCore

// For modules that have notifications of their own, in other forms than Foundation's.
extension NotificationCenter {
    /// Posts a message under its name. A subclass, which may override `post(_:)`, gets the
    /// notification that stands for the message.
    package func post(
        _ message: NamedMessage, named name: NSNotification.Name, about subject: Subject
    ) {
        if isSubclass {
            post(message.notification)
        } else if let interceptor = engine.namedInterceptor {
            _ = interceptor.post(message, name, about: subject, for: nil, through: engine)
        } else {
            _ = engine.post(message, named: name, about: subject)
        }
    }

    /// Has `handler` called with the notifications and messages of a name.
    ///
    /// - Parameters:
    ///   - name: The name to observe; nil for any.
    ///   - object: The object that notifications must have; nil for any or none.
    ///   - mailbox: The mailbox of the context on which the handler runs; nil for the posting
    ///     thread.
    ///   - options: The options of the observation.
    ///   - origin: The file and line that reports name.
    ///   - handler: The handler to call.
    /// - Returns: The token that ends the observation when its last copy goes.
    package func observe(
        _ name: NSNotification.Name?, of object: String?, in mailbox: SharedMailbox?,
        options: ObservationOptions, origin: RegistrationSite, with handler: AnyNamedHandler
    ) -> ObservationToken {
        observe(name, object, handler, mailbox, nil, options, origin)
    }
}
