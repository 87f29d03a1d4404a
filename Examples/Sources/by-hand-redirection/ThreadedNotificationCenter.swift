// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Switchyard

/// A center of a thread: the subclass that Apple's page suggests. All its observers hear on the
/// thread, and none of them mentions it.
final class ThreadedNotificationCenter: NotificationCenter, @unchecked Sendable {
    // Sendable: nothing is stored here.

    init(_ thread: DeliveryThread) { super.init(delivering: .thread(thread)) }
}
