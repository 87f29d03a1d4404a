import Foundation

class Base: NSObject {
    // One call gives a selector that is not written there.
    func given(_ selector: Selector) {
        NotificationCenter.default.addObserver(self, selector: selector, name: nil, object: nil)
    }
    // The class of an object that gets one is not known.
    func unknown(_ selector: Selector) {
        NotificationCenter.default.addObserver(self, selector: selector, name: nil, object: nil)
    }
    // One call stands in a branch for Apple's systems.
    func branched(_ selector: Selector) {
        NotificationCenter.default.addObserver(self, selector: selector, name: nil, object: nil)
    }
    // One call stands in a file for Apple's systems.
    func shown(_ selector: Selector) {
        NotificationCenter.default.addObserver(self, selector: selector, name: nil, object: nil)
    }
    // It is used as a value.
    func kept(_ selector: Selector) {
        NotificationCenter.default.addObserver(self, selector: selector, name: nil, object: nil)
    }
    // A subclass overrides it.
    func overridden(_ selector: Selector) {
        NotificationCenter.default.addObserver(self, selector: selector, name: nil, object: nil)
    }
    // A protocol asks for it.
    func required(_ selector: Selector) {
        NotificationCenter.default.addObserver(self, selector: selector, name: nil, object: nil)
    }
    // Its calls can leave an argument out.
    func short(_ selector: Selector, object: Any? = nil) {
        NotificationCenter.default.addObserver(self, selector: selector, name: nil, object: object)
    }
    // All of its methods return something.
    func asked(_ selector: Selector) {
        NotificationCenter.default.addObserver(self, selector: selector, name: nil, object: nil)
    }
    // Methods of one class belong to the main actor, and to none, and take the same.
    func isolated(_ selector: Selector) {
        NotificationCenter.default.addObserver(self, selector: selector, name: nil, object: nil)
    }
    // One of its two selectors is not written at the call.
    func both(_ first: Selector, _ second: Selector) {
        NotificationCenter.default.addObserver(self, selector: first, name: nil, object: nil)
        NotificationCenter.default.addObserver(self, selector: second, name: nil, object: nil)
    }
    // The class of an observer is not known.
    func others(_ other: Any, _ selector: Selector) {
        NotificationCenter.default.addObserver(other, selector: selector, name: nil, object: nil)
    }
    // The observer is a property, and the method belongs to a class after its own.
    func next(_ selector: Selector) {
        NotificationCenter.default.addObserver(child, selector: selector, name: nil, object: nil)
    }
    lazy var child = Base()
    // It is static, and so has no observer of its own.
    static func still(_ selector: Selector) {
        NotificationCenter.default.addObserver(shared, selector: selector, name: nil, object: nil)
    }
    static let shared = Base()
    // The method belongs to an object of another class.
    func foreign(_ selector: Selector) {
        NotificationCenter.default.addObserver(self, selector: selector, name: nil, object: nil)
    }
}

class Named: NSObject {
    // A class after this one has a variable of the name.
    func named(_ selector: Selector) {
        NotificationCenter.default.addObserver(self, selector: selector, name: nil, object: nil)
    }
}

protocol Requiring {
    func required(_ selector: Selector)
}

class Generic<Value>: NSObject {
    func general(_ selector: Selector) {
        NotificationCenter.default.addObserver(self, selector: selector, name: nil, object: nil)
    }
}
