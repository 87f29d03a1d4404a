import Foundation

protocol Loaded: AnyObject { init() }

extension Loaded {
    static func load() -> Self? { Self() }
}

/// The class has an initialiser that may fail, as classes of views have.
class Panel: Loaded {
    required init() {}
    required init?(coder: NSCoder) { return nil }
    init(title: String) {}

    static func open() {
        let panel = Self()
        NotificationCenter.default.addObserver(panel, selector: #selector(moved), name: .init("moved"), object: nil)
        let loaded = Panel.load()!
        NotificationCenter.default.addObserver(loaded, selector: #selector(loaded.moved), name: .init("moved"), object: nil)
        let titled = Panel(title: "a")
        NotificationCenter.default.addObserver(titled, selector: #selector(moved), name: .init("moved"), object: nil)
    }

    @objc func moved() {}
}
