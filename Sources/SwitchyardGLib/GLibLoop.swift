// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if GLib
internal import CSwitchyardGLib
internal import SwitchyardCore

/// One `GMainContext` as a context of deliveries: its mailboxes, one for each priority that
/// somebody asked for, shared by all centers and observers. There is one such object for each
/// `GMainContext`, until that ends.
final class GLibLoop: Sendable {
    private struct Slot: Sendable {
        let mailbox: SharedMailbox
        let source: AttachedSource
    }

    // Sendable: GLib lets any thread use a main context.
    private struct State: @unchecked Sendable {
        /// Nil once it has ended.
        var mainContext: OpaquePointer?
        var isClosed = false
        var slots: [GLibContext.Priority: Slot] = [:]
    }

    /// The loops of the main contexts that have not ended, by address. Lock order: this, then
    /// GLib's own locks.
    private static let directory = Guarded<[UInt: GLibLoop]>([:])

    /// The name in reports.
    let label: String
    private let address: UInt
    /// Lock order: this, then GLib's own locks. GLib holds none of them when it calls a source.
    private let state: Guarded<State>

    private init(_ mainContext: OpaquePointer) {
        address = UInt(bitPattern: mainContext)
        label =
            mainContext == g_main_context_default()
            ? "GLib's main loop" : "GLib main context 0x\(String(address, radix: 16))"
        state = Guarded(State(mainContext: mainContext))
    }

    /// The loop of a main context, to which the caller has a reference.
    static func of(_ mainContext: OpaquePointer) -> GLibLoop {
        directory.withLock { directory in
            let address = UInt(bitPattern: mainContext)
            if let known = directory[address] { return known }
            let made = GLibLoop(mainContext)
            directory[address] = made
            LoopWatch(made).attach(to: mainContext, priority: G_PRIORITY_DEFAULT)
            _ = isKnownToWaits
            return made
        }
    }

    /// The mailbox for a priority. It is closed if the main context is, or has ended.
    func mailbox(priority: GLibContext.Priority) -> SharedMailbox {
        state.withLock { state in
            if let known = state.slots[priority] { return known.mailbox }
            let mailbox = SharedMailbox(GLibTarget(self, priority))
            if let mainContext = state.mainContext, !state.isClosed {
                let source = MailSource(mailbox)
                    .attach(to: mainContext, priority: priority.rawValue)
                state.slots[priority] = Slot(mailbox: mailbox, source: source)
            } else {
                mailbox.end()
            }
            return mailbox
        }
    }
}

// MARK: - The loop and its thread

extension GLibLoop {
    /// Has the loop call the source of a priority in its next turn.
    ///
    /// The lock keeps the main context from being freed meanwhile. Another thread may have given up
    /// its last reference by now, so only functions will do that ask for none:
    /// `g_main_context_wakeup` would complain.
    func wake(_ priority: GLibContext.Priority) {
        state.withLock { $0.slots[priority]?.source.makeReady() }
    }

    /// Whether the calling thread owns the main context.
    var isCallers: Bool {
        state.withLock { state in
            state.mainContext.map { g_main_context_is_owner($0) != 0 } ?? false
        }
    }

    /// The loop in the search for cycles of waits. It stands still while a thread that owns it
    /// waits.
    var waitResource: WaitGraph.Resource {
        WaitGraph.Resource(.loop(ObjectIdentifier(self)), label)
    }

    /// Has waits ask which loops their thread owns.
    private static let isKnownToWaits: Void = WaitGraph.add {
        let loops = directory.withLock { Array($0.values) }
        return loops.filter(\.isCallers).map(\.waitResource)
    }
}

// MARK: - The end

extension GLibLoop {
    var isClosed: Bool { state.withLock(\.isClosed) }

    func close() {
        for source in end({ $0.isClosed = true }) { source.destroy() }
    }

    /// The main context has lost its last reference, and is about to be freed, with its sources.
    func mainContextEnds() {
        GLibLoop.directory.withLock { $0[address] = nil }
        end { $0.mainContext = nil }
    }

    /// Ends the mailboxes.
    ///
    /// - Returns: Their sources.
    @discardableResult
    private func end(_ note: (inout State) -> Void) -> [AttachedSource] {
        let slots = state.withLock { state in
            note(&state)
            defer { state.slots = [:] }
            return state.slots
        }
        // Without a lock: problem hooks are the user's code.
        let ordered = slots.sorted { $0.key.rawValue < $1.key.rawValue }
        for (_, slot) in ordered { slot.mailbox.end() }
        return ordered.map(\.value.source)
    }
}
#endif
