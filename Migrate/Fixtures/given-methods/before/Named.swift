import UIKit

final class Registrar {
    private let center = NotificationCenter.default
    lazy var add: (Any, Selector, NSNotification.Name?, Any?) -> Void = center.addObserver(_:selector:name:object:)
}
