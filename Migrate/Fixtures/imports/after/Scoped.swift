import class Switchyard.NotificationCenter
import struct Foundation.Notification
import Switchyard
import class Switchyard.NotificationQueue

func postScoped() { NotificationCenter.default.post(name: Notification.Name("a"), object: nil) }
