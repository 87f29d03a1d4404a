//  Controller.swift
//  Every kind of method that a selector names.

import Foundation

extension Notification.Name {
    static let added = Notification.Name("added")
}

class Base: NSObject {
    @objc func inherited(_ notification: Notification) {}
    @objc func overridden() {}
}

final class Controller: Base {
    let center: NotificationCenter
    private let helper = Helper()
    lazy var queue = OperationQueue()

    init(center: NotificationCenter = .default) {
        self.center = center
        super.init()
        center.addObserver(self, selector: #selector(nothing), name: .added, object: nil)
        center.addObserver(self, selector: #selector(noted(_:)), name: .added, object: self)
        self.center.addObserver(
            self,
            selector: #selector(Controller.bridged(_:)),  // as Apple's sample has it
            name: NSNotification.Name("removed"),
            object: helper
        )
        NotificationCenter.default.addObserver(self, selector: #selector(self.labelled(note:)), name: nil, object: nil)
        NotificationCenter.default.addObserver(self, selector: #selector(Self.inherited), name: .added, object: nil)
        NotificationCenter.default.addObserver(self, selector: #selector(overridden), name: .added, object: nil)
        NotificationCenter.default.addObserver(helper, selector: #selector(Helper.help), name: .added, object: nil)
        NotificationCenter.default.addObserver(Helper.shared, selector: #selector(Helper.help), name: .added, object: nil)
        NotificationCenter.default.addObserver(self, selector: #selector(elsewhere(_:)), name: .added, object: nil)
        NotificationCenter.default.addObserver(self, selector: #selector(twice(_:)), name: .added, object: nil)
        NotificationCenter.default.addObserver(self, selector: #selector(twice as () -> Void), name: .added, object: nil)
        NotificationCenter.default.addObserver(self, selector: #selector(counted(_:)), name: .added, object: nil)
        NotificationCenter.default.addObserver(self, selector: #selector(counted0), name: .added, object: helper)
    }

    deinit {
        center.removeObserver(self)
        NotificationCenter.default.removeObserver(self, name: .added, object: nil)
    }

    @objc func nothing() {}
    @objc private func noted(_ notification: Notification) {}
    @objc
    fileprivate func bridged(_ notification: NSNotification) {}
    @objc internal func labelled(note: Notification) {}
    override func overridden() {}
    @objc func twice() {}
    @objc func twice(_ notification: Notification) {}
    @objc func counted(_ notification: Notification) -> Int { 1 }
    @discardableResult @objc func counted0() -> Int { 1 }

    func post() {
        center.post(name: .added, object: self, userInfo: ["a": 1])
    }

    final class Inner: NSObject {
        @objc func inside(_ n: Notification) {}
        func start(_ center: NotificationCenter?) {
            center?.addObserver(self, selector: #selector(inside), name: .added, object: nil)
            guard let center = center else { return }
            center.addObserver(self, selector: #selector(Inner.inside), name: .added, object: nil)
        }
    }
}
