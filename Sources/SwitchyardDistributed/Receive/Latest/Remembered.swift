// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

@_spi(Engine) internal import SwitchyardCore

/// The last things that were added, so that a center remembers a limited number of them.
struct Remembered<Element: Hashable & Sendable>: Sendable {
    /// The most things that are remembered.
    static var most: Int { 1_024 }

    private var order = FIFO<Element>()
    private var all: Set<Element> = []

    func contains(_ element: Element) -> Bool { all.contains(element) }

    /// Adds a thing.
    ///
    /// - Returns: The thing that is forgotten for it, if there are too many.
    mutating func add(_ element: Element) -> Element? {
        // One that is added again is the last.
        if !all.insert(element).inserted { _ = order.removeAll { $0 == element } }
        order.append(element)
        guard all.count > Self.most, let oldest = order.popFirst() else { return nil }
        all.remove(oldest)
        return oldest
    }

    /// Forgets a thing.
    mutating func remove(_ element: Element) {
        if all.remove(element) != nil { _ = order.removeAll { $0 == element } }
    }
}
