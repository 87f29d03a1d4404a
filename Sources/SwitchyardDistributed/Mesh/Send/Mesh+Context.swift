// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardWire

// The contexts of notifications: a frame before each notification that has one.
extension Mesh {
    /// The number of queued bytes beyond which notifications leave without a context: such frames
    /// can't be dropped, and a peer that does not read must not fill memory with them.
    private static var most: Int { 512 * 1024 }

    /// Writes or queues the context of the next notification for a peer.
    ///
    /// - Parameter mayWrite: whether it may be written at once, if nothing is queued.
    @inline(never)
    func send(
        _ context: [String: String], to outlet: Outlet, mayWrite: Bool, _ state: inout MeshState
    ) {
        if outlet.queue.count > Self.most { return }
        var frame = ByteWriter()
        let content = ContextFrame(sequence: outlet.counts.nextSequence, fields: context)
        guard content.write(to: &frame) else { return }
        if mayWrite, outlet.queue.isEmpty {
            frame.withBytes { writeNow($0, to: outlet, &state.toWrite) }
            return
        }
        let wasEmpty = outlet.queue.isEmpty
        outlet.queue.append(unnumbered: state.log.append(frame))
        if wasEmpty { handToWriter(outlet, &state.toWrite) }
    }
}

extension Inlet {
    /// Takes the context of the notification with this number, if one has come.
    func takeContext(of sequence: UInt64) -> [String: String]? {
        guard hasContext, let context else { return nil }
        self.context = nil
        hasContext = false
        return context.sequence == sequence ? context.fields : nil
    }

    func keep(_ context: ContextFrame?) {
        self.context = context
        hasContext = context != nil
    }
}
