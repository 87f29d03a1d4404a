import Foundation
import Switchyard
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

final class Alone { func post() { NotificationCenter.default.post(name: .init("a"), object: nil) } }
