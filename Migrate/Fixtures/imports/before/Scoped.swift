import class Foundation.NotificationCenter
import struct Foundation.Notification

func postScoped() { NotificationCenter.default.post(name: Notification.Name("a"), object: nil) }
