// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// A first-in, first-out queue that lets go of an element when it gives it out.
package struct FIFO<Element> {
    private var slots: [Element?] = []
    private var head = 0

    /// Above this many slots the memory of an emptied queue is given back.
    private static var keptCapacity: Int { 4096 }

    package init() {}

    package var count: Int { slots.count - head }
    package var isEmpty: Bool { head == slots.count }

    package mutating func append(_ element: Element) { slots.append(element) }

    package mutating func popFirst() -> Element? {
        guard head < slots.count else { return nil }
        let element = slots[head].take()
        head += 1
        if head == slots.count {
            slots.removeAll(keepingCapacity: slots.capacity <= Self.keptCapacity)
            head = 0
        } else if head > 64, head * 2 > slots.count {
            slots.removeFirst(head)
            head = 0
        }
        return element
    }

    /// Takes out all elements that satisfy `isGone`, in order. O(n).
    package mutating func removeAll(where isGone: (Element) -> Bool) -> [Element] {
        var removed: [Element] = []
        var rest: [Element?] = []
        for case .some(let element) in slots[head...] {
            if isGone(element) { removed.append(element) } else { rest.append(element) }
        }
        slots = rest
        head = 0
        return removed
    }

    /// Calls `body` with each element, in order.
    package func visit(_ body: (Element) -> Void) {
        for case .some(let element) in slots[head...] { body(element) }
    }

    /// Calls `body` with the first element, to change it.
    package mutating func changeFirst(_ body: (inout Element) -> Void) {
        guard head < slots.count, var element = slots[head].take() else { return }
        body(&element)
        slots[head] = element
    }
}

extension FIFO: Sendable where Element: Sendable {}
