import UIKit

/// Switchyard's center has the method that takes a block.
enum Blocks {
    static let add = NotificationCenter.default.addObserver(forName:object:queue:using:)
}
