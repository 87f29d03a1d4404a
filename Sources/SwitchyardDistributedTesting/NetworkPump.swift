// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
internal import Foundation
internal import SwitchyardCore
internal import Synchronization

/// The thread that carries bytes between the ends of connections.
final class NetworkPump: Sendable {
    private static let wakeToken = UInt64.max

    /// The state of the network. Everything happens under its lock, so a fault has taken effect
    /// when the call that sets it returns.
    let state = Guarded(NetworkState())
    private let poller: Int32
    private let signal: switchyard_signal
    private let hasStopped = Atomic<Bool>(false)

    init() {
        poller = switchyard_poller_create()
        signal = switchyard_signal_create()
        Misuse.unless(
            poller >= 0 && signal.read_end >= 0,
            "this process is out of file descriptors: raise the limit (ulimit -n)")
        _ = switchyard_poller_set(poller, signal.read_end, Self.wakeToken, true, false)
        let thread = Thread { [self] in
            ThreadName.current = "sw-network"
            switchyard_block_signals()
            run()
        }
        thread.start()
    }

    deinit {
        state.withLock { state in
            for wire in state.wires.values { for end in wire.ends { close(end) } }
        }
        close(poller)
        switchyard_signal_close(signal)
    }

    func stop() {
        hasStopped.store(true, ordering: .releasing)
        switchyard_signal_raise(signal)
    }

    private func run() {
        withUnsafeTemporaryAllocation(of: switchyard_event.self, capacity: 64) { events in
            while !hasStopped.load(ordering: .acquiring) {
                let count = switchyard_poller_wait(poller, events.baseAddress, 64, -1)
                for event in events.prefix(max(0, Int(count)))
                where event.token != Self.wakeToken {
                    state.withLock { carry(event.token / 2, &$0) }
                }
            }
        }
    }

    /// Carries the bytes that wait on a connection.
    private func carry(_ number: UInt64, _ state: inout NetworkState) {
        guard var wire = state.wires[number] else { return }
        for index in wire.lanes.indices {
            let path = wire.lanes[index].path
            var faults = state.faults[path] ?? NetworkFaults()
            if faults.isHeld { continue }
            wire.lanes[index].take()
            wire.lanes[index].give(&faults)
            if state.faults[path] != nil { state.faults[path] = faults }
            if faults.bytesUntilCut == 0 {
                state.faults[path]?.bytesUntilCut = nil
                return cut(path.from, path.to, &state)
            }
        }
        state.wires[number] = wire
        if wire.hasEnded { return remove(number, &state) }
        watch(wire, number, state)
    }

    // MARK: - Under the lock

    func add(_ wire: NetworkWire, _ state: inout NetworkState) {
        state.lastWire += 1
        state.wires[state.lastWire] = wire
        watch(wire, state.lastWire, state)
    }

    /// Watches the ends of a connection for the next possible step. An end without one is not
    /// watched at all: the poller would report again and again that its other end was closed.
    func watch(_ wire: NetworkWire, _ number: UInt64, _ state: borrowing NetworkState) {
        let isOpen = wire.lanes.map { state.faults[$0.path]?.isHeld != true }
        for (side, end) in wire.ends.enumerated() {
            let reads = isOpen[side] && wire.lanes[side].isEmpty
            let writes = isOpen[1 - side] && !wire.lanes[1 - side].isEmpty
            if reads || writes {
                let token = number * 2 + UInt64(side)
                _ = switchyard_poller_set(poller, end, token, reads, writes)
            } else {
                switchyard_poller_remove(poller, end)
            }
        }
    }

    func cut(_ one: String, _ other: String, _ state: inout NetworkState) {
        for (number, wire) in state.wires where wire.connects(one, other) {
            remove(number, &state)
        }
    }

    private func remove(_ number: UInt64, _ state: inout NetworkState) {
        guard let wire = state.wires.removeValue(forKey: number) else { return }
        for end in wire.ends {
            switchyard_poller_remove(poller, end)
            close(end)
        }
    }
}
