// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

package import Foundation
@_spi(Engine) package import SwitchyardCore

extension NotificationCenter {
    /// Shows `watcher` every notification of a name, without being noticed: inline it shows in no
    /// receipt, and a post that only watchers hear is a dead letter as before. What waits in a
    /// mailbox for it is counted as queued.
    package func watch(
        _ name: NSNotification.Name?, of object: Any?, on context: DeliveryContext,
        origin: RegistrationSite, using watcher: @escaping @Sendable (Notification) -> Void
    ) -> ObservationToken {
        observe(
            name, object, NamedWatcher(watcher), engine.mailbox(of: context), nil, .standard, origin
        )
    }
}
