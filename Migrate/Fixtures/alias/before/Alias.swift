import Switchyard

typealias NotificationCenter = Switchyard.NotificationCenter
typealias NotificationQueue = Switchyard.NotificationQueue
