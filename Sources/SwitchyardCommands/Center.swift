// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Switchyard

// Foundation has classes of these names as well: from here on, the module means ours.
typealias NotificationCenter = Switchyard.NotificationCenter
typealias NotificationQueue = Switchyard.NotificationQueue
