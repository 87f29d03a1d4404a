// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// A loop over values whose body may run the user's code, in a hook or a deinit. If that ends the
/// thread, the loop goes on at the thread's end.
package final class ResumableLoop<Element>: EndsWithThread {
    /// The values that the body has still to get. Those before them stay in the same memory: their
    /// last references may run the user's code as well, and all go together, at the end.
    private var waiting: ArraySlice<Element>
    private let body: (Element) -> Void

    package init(over elements: [Element], body: @escaping (Element) -> Void) {
        waiting = elements[...]
        self.body = body
    }

    package func run() {
        ThreadEnd.notify(self)
        defer { ThreadEnd.forget(self) }
        while let element = waiting.popFirst() { body(element) }
    }

    package func threadEnds() { run() }
}
