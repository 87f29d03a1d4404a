// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Switchyard

// Foundation has a class of the same name. In this module, the name means Switchyard's class.
typealias NotificationCenter = Switchyard.NotificationCenter
