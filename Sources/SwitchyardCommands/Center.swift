// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Switchyard

// Foundation has a class of this name as well: from here on, the module means ours.
typealias NotificationCenter = Switchyard.NotificationCenter
