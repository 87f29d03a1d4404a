// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Switchyard

// Foundation has classes of the same names. In this module, these names mean Switchyard's classes.
typealias NotificationCenter = Switchyard.NotificationCenter
typealias NotificationQueue = Switchyard.NotificationQueue
