import Foundation

final class Heir: Base, Requiring {
    func start(_ selector: Selector, _ any: Any) {
        given(#selector(plain))
        given(selector)
        unknown(#selector(plain))
        (any as? Heir)?.unknown(#selector(plain))
        branched(#selector(plain))
        #if os(iOS)
            branched(#selector(plain))
        #endif
        shown(#selector(plain))
        kept(#selector(plain))
        let all = [1].map { _ in kept }
        overridden(#selector(plain))
        required(#selector(plain))
        short(#selector(plain))
        asked(#selector(answered))
        isolated(#selector(told(_:)))
        isolated(#selector(drawn))
        both(#selector(plain), selector)
        others(any, #selector(plain))
        others(self, #selector(plain))
        next(#selector(plain))
        Base.still(#selector(plain))
        foreign(#selector(Foreign.arrived))
    }

    override func overridden(_ selector: Selector) {}

    @objc func plain() {}
    @objc func told(_ note: Notification) {}
    @objc func answered() -> Bool { true }
    @MainActor @objc func drawn(_ note: Notification) {}
}

final class Numbers: Generic<Int> {
    func start() { general(#selector(counted)) }
    @objc func counted() {}
}

final class Foreign: NSObject {
    @objc func arrived() {}
}

final class NamedHeir: Named {
    let named: (Selector) -> Void = { _ in }
    func start() { named(#selector(counted)) }
    @objc func counted() {}
}
