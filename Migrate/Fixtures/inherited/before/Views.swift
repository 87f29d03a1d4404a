import UIKit

final class Chart: UIView {
    func start() {
        NotificationCenter.default.addObserver(
            self, selector: #selector(setNeedsDisplay), name: UIContentSizeCategory.didChangeNotification, object: nil)
        NotificationCenter.default.addObserver(
            self, selector: #selector(setNeedsLayout), name: .init("moved"), object: nil)
        NotificationCenter.default.addObserver(self, selector: #selector(reloadData), name: .init("moved"), object: nil)
    }
}

final class List: UITableView {
    func start() {
        NotificationCenter.default.addObserver(
            self, selector: #selector(reloadData), name: .init("moved"), object: nil)
    }
}

final class Other: Base {
    func start() {
        NotificationCenter.default.addObserver(
            self, selector: #selector(setNeedsLayout), name: .init("moved"), object: nil)
    }
}
