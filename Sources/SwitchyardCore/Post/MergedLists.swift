// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// Two to four protected lists, walked as one in the order of registration.
struct MergedLists {
    private struct Cursor {
        let view: ObservationListView
        var index = 0

        /// The number of the next observation; the largest there is at the end.
        var sequence: UInt64 {
            guard index < view.count else { return .max }
            return view[index]._withUnsafeGuaranteedRef(\.sequence)
        }
    }

    /// The most lists that can be walked so.
    static let most = 4

    private var cursors: [4 of Cursor]
    private let count: Int

    /// - Parameter list: returns a list by its position, below `count`.
    @inline(__always)
    init(count: Int, _ list: (Int) -> ObservationListView) {
        self.count = count
        let first = Cursor(view: list(0))
        cursors = [first, first, first, first]
        for index in 1..<count { cursors[index] = Cursor(view: list(index)) }
    }

    consuming func forEachInOrder(_ body: (Unmanaged<Observation>) -> Void) {
        while true {
            var least = 0
            var sequence = cursors[0].sequence
            for index in 1..<count where cursors[index].sequence < sequence {
                least = index
                sequence = cursors[index].sequence
            }
            if sequence == .max { return }
            let cursor = cursors[least]
            cursors[least].index += 1
            body(cursor.view[cursor.index])
        }
    }
}
