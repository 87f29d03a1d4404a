// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

package import Foundation
@_spi(Engine) package import SwitchyardCore

extension NotificationCenter {
    /// Calls `watcher` with every notification of a name. A call on the posting thread is in no
    /// receipt, and a post that only watchers hear is a dead letter. A call through a mailbox
    /// counts as queued.
    package func watch(
        _ name: NSNotification.Name?, of object: Any?, on context: DeliveryContext,
        origin: RegistrationSite, using watcher: @escaping @Sendable (Notification) -> Void
    ) -> ObservationToken {
        observe(
            name, object, NamedWatcher(watcher), engine.mailbox(of: context), nil, .standard, origin
        )
    }
}
