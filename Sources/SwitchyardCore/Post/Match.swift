// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Synchronization

/// The observations that a post has found: lists, protected by the words of the posting thread's
/// record until ``end()``.
package struct Match {
    let record: HazardRecord.Pointer
    /// The position of the frame in the record: the slot of the call, then the lists.
    let base: Int
    /// The number of lists.
    var count = 0
    /// Whether a list has observations with priorities.
    var isPrioritized = false

    @inline(__always)
    init(record: HazardRecord.Pointer) {
        self.record = record
        base = record.pointee.top
    }

    /// The slot in which the thread says which handler it is in.
    @inline(__always)
    var slot: UnsafeMutablePointer<Atomic<UInt>> { record.pointee.words + base }

    /// Whether the match is one list, without priorities.
    @inline(__always)
    var isPlain: Bool { count == 1 && !isPrioritized }

    /// Whether no observation matches the post.
    @inline(__always)
    package var isEmpty: Bool { count == 0 }

    @inline(__always)
    subscript(index: Int) -> Unmanaged<ObservationList> { Self.protected(slot + 1 + index) }

    /// The only list of a match with this ``slot``.
    @inline(__always)
    static func list(at slot: UnsafeMutablePointer<Atomic<UInt>>) -> ObservationListView {
        ObservationListView(protected(slot + 1))
    }

    @inline(__always)
    private static func protected(
        _ word: UnsafeMutablePointer<Atomic<UInt>>
    ) -> Unmanaged<ObservationList> {
        let address = word.pointee.load(ordering: .relaxed)
        guard let list = UnsafeRawPointer(bitPattern: address) else {
            preconditionFailure("a match without its list")
        }
        return .fromOpaque(list)
    }

    /// The number of the last registration among the first observations of the only list, which
    /// are in the order of registration.
    ///
    /// - Parameter end: how many observations the list had when the post began.
    func lastSequence(before end: Int) -> UInt64 {
        let list = Self.list(at: slot)
        let count = min(end, list.count)
        return count == 0 ? 0 : list[count - 1]._withUnsafeGuaranteedRef(\.sequence)
    }

    /// Gives up the protection. Nothing of the match is used after this.
    @inline(__always)
    package consuming func end() {
        // From the top, so that no word below it is ever zero.
        if count > 1 { clearAllButFirst() }
        (slot + 1).pointee.store(0, ordering: .releasing)
        slot.pointee.store(0, ordering: .releasing)
        record.pointee.top = base
        if base == 0, record.pointee.outer != nil { HazardRecord.returnToOuter(record) }
    }

    @inline(never)
    private func clearAllButFirst() {
        for index in (2...count).reversed() {
            (slot + index).pointee.store(0, ordering: .releasing)
        }
    }
}

// MARK: - Order

extension Match {
    /// The order in which a match delivers to its observations.
    enum Order {
        /// The order of one list.
        case single(ObservationListView)
        /// The order of registration across several lists.
        case merged(MergedLists)
        /// The observations by priority, then in the order of registration.
        case sorted([Observation])
    }

    /// The order, with the observations fixed as of now: later ones miss the post.
    @inline(__always)
    var order: Order {
        if isPrioritized || count > MergedLists.most { return .sorted(observationsByPriority) }
        if count == 1 { return .single(ObservationListView(self[0])) }
        return .merged(MergedLists(count: count) { ObservationListView(self[$0]) })
    }

    /// Calls `body` with each observation there is as of now, in order.
    func visit(_ body: (Unmanaged<Observation>) -> Void) {
        switch order {
        case .single(let list):
            for index in 0..<list.count { body(list[index]) }
        case .merged(let lists):
            lists.forEachInOrder(body)
        case .sorted(let observations):
            for observation in observations { body(.passUnretained(observation)) }
        }
    }

    /// Whether `predicate` holds for an observation.
    package func contains(where predicate: (Observation) -> Bool) -> Bool {
        var isFound = false
        if !isEmpty { visit { if $0._withUnsafeGuaranteedRef(predicate) { isFound = true } } }
        return isFound
    }

    private var observationsByPriority: [Observation] {
        var observations: [Observation] = []
        for list in 0..<count {
            let view = ObservationListView(self[list])
            for index in 0..<view.count {
                observations.append(view[index].takeUnretainedValue())
            }
        }
        return observations.sorted { one, other in
            one.priority == other.priority
                ? one.sequence < other.sequence : one.priority > other.priority
        }
    }
}
