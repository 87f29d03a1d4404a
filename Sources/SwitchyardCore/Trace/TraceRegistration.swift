// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The trace of a registration. An observation that ends leaves its address, which is its id, to a
/// later one: events of both are told apart by it.
struct TraceRegistration {
    private let writer: TraceWriter.Pointer
    private let began: UInt64

    /// Begins to trace a registration; nil if nobody traces any more, or there is no memory.
    @inline(never)
    init?() {
        guard TraceSampling.isOn, let writer = TraceWriter.current else { return nil }
        self.writer = writer
        began = writer.now
    }

    /// Writes the registration down, when the observation has its rank. Its time is that of the
    /// beginning: a post of another thread may have called the handler already.
    ///
    /// - Parameters:
    ///   - observation: the observation's address.
    ///   - rank: its rank in the order of registration of its center.
    ///   - center: the center's number.
    @inline(never)
    func end(_ observation: UInt, rank: UInt64, center: UInt64) {
        let detail = UInt64(UInt32(truncatingIfNeeded: rank))
        writer.append(
            began, center, UInt64(observation), TraceEvent.summary(.registered) | detail << 32)
    }
}
