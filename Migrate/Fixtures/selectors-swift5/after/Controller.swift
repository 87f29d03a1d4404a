//  Controller.swift
//  Every kind of method that a selector names.

import Foundation
import Switchyard
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

extension Notification.Name {
    static let added = Notification.Name("added")
}

class Base: NSObject {
    func inherited(_ notification: Notification) {}
    func overridden() {}
}

final class Controller: Base {
    let center: NotificationCenter
    private let helper = Helper()
    lazy var queue = OperationQueue()

    init(center: NotificationCenter = .default) {
        self.center = center
        super.init()
        center.addObserver(self, selector: Controller.nothing, name: .added, object: nil)
        center.addObserver(self, selector: Controller.noted, name: .added, object: self)
        self.center.addObserver(
            self,
            selector: Controller.bridged,  // as Apple's sample has it
            name: NSNotification.Name("removed"),
            object: helper
        )
        NotificationCenter.default.addObserver(self, selector: Controller.labelled, name: nil, object: nil)
        NotificationCenter.default.addObserver(self, selector: Base.inherited, name: .added, object: nil)
        NotificationCenter.default.addObserver(self, selector: Controller.overridden, name: .added, object: nil)
        NotificationCenter.default.addObserver(helper, selector: Helper.help, name: .added, object: nil)
        NotificationCenter.default.addObserver(Helper.shared, selector: Helper.help, name: .added, object: nil)
        NotificationCenter.default.addObserver(self, selector: Controller.elsewhere, name: .added, object: nil)
        NotificationCenter.default.addObserver(self, selector: Controller.twice(_:), name: .added, object: nil)
        NotificationCenter.default.addObserver(self, selector: Controller.twice as (Controller) -> () -> Void, name: .added, object: nil)
        NotificationCenter.default.observe(.added, with: self, { observer in { (notification: Notification) in _ = observer.counted(notification) } })
        NotificationCenter.default.observe(.added, of: helper, with: self, { observer in { () in _ = observer.counted0() } })
    }

    deinit {
        center.removeObserver(self)
        NotificationCenter.default.removeObserver(self, name: .added, object: nil)
    }

    func nothing() {}
    private func noted(_ notification: Notification) {}
    fileprivate func bridged(_ notification: NSNotification) {}
    internal func labelled(note: Notification) {}
    override func overridden() {}
    func twice() {}
    func twice(_ notification: Notification) {}
    func counted(_ notification: Notification) -> Int { 1 }
    @discardableResult func counted0() -> Int { 1 }

    func post() {
        center.post(name: .added, object: self, userInfo: ["a": 1])
    }

    final class Inner: NSObject {
        func inside(_ n: Notification) {}
        func start(_ center: NotificationCenter?) {
            center?.addObserver(self, selector: Controller.Inner.inside, name: .added, object: nil)
            guard let center = center else { return }
            center.addObserver(self, selector: Controller.Inner.inside, name: .added, object: nil)
        }
    }
}
