import UIKit
import Switchyard
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

final class Chart: UIView {
    func start() {
        NotificationCenter.default.observe(
            UIContentSizeCategory.didChangeNotification, with: self, Chart.setNeedsDisplay as (Chart) -> () -> Void, on: .main)
        NotificationCenter.default.observe(
            .init("moved"), with: self, Chart.setNeedsLayout as (Chart) -> () -> Void, on: .main)
        NotificationCenter.default.addObserver(self, selector: #selector(reloadData), name: .init("moved"), object: nil)
    }
}

final class List: UITableView {
    func start() {
        NotificationCenter.default.observe(
            .init("moved"), with: self, List.reloadData as (List) -> () -> Void, on: .main)
    }
}

final class Other: Base {
    func start() {
        NotificationCenter.default.addObserver(
            self, selector: #selector(setNeedsLayout), name: .init("moved"), object: nil)
    }
}
