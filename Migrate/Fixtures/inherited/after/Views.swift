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
        NotificationCenter.default.observe(.init("moved"), with: self, { [selector = #selector(reloadData)] observer in { @Sendable (notification: NSNotification) in _ = (observer as AnyObject).perform(selector, with: notification) } })
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
        NotificationCenter.default.observe(
            .init("moved"), with: self, { [selector = #selector(setNeedsLayout)] observer in { @Sendable (notification: NSNotification) in _ = (observer as AnyObject).perform(selector, with: notification) } })
    }
}
