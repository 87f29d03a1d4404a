import UIKit
import Switchyard
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

/// Switchyard's center has the method that takes a block.
enum Blocks {
    static let add = NotificationCenter.default.addObserver(forName:object:queue:using:)
}
