// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
internal import Foundation
internal import SwitchyardCore

/// The network that its members share: their listeners, their connections, and the faults.
final class NetworkHub: Sendable {
    /// The pump's thread keeps the pump alive, and not the hub: the hub's deinit stops the thread.
    let pump = NetworkPump()

    deinit { pump.stop() }

    // MARK: - Members

    func listen(as address: String, _ listener: NetworkListener) {
        pump.state.withLock { $0.listeners[address] = listener }
    }

    func publish(_ address: String) {
        pump.state.withLock { $0.listeners[address]?.isPublished = true }
    }

    func withdraw(_ address: String) { pump.state.withLock { $0.listeners[address] = nil } }

    var addresses: [String] {
        pump.state.withLock { state in
            state.listeners.filter(\.value.isPublished).map(\.key)
        }
    }

    // MARK: - Connections

    func connect(_ name: String, to address: String) -> Int32 {
        pump.state.withLock { state in
            guard let listener = state.listeners[address] else { return -ECONNREFUSED }
            let other = listener.name
            var (near, far): ([Int32], [Int32]) = ([-1, -1], [-1, -1])
            let error = switchyard_socket_pair(&near)
            if error != 0 { return error }
            let farError = switchyard_socket_pair(&far)
            if farError != 0 {
                for end in near { close(end) }
                return farError
            }
            state.ways[near[0]] = NetworkPath(from: name, to: other)
            state.ways[far[0]] = NetworkPath(from: other, to: name)
            pump.add(NetworkWire(between: name, other, [near[1], far[1]]), &state)
            listener.add(far[0])
            return near[0]
        }
    }

    func accept(from descriptor: Int32) -> Int32 {
        pump.state.withLock { state in
            let listener = state.listeners.values.first { $0.descriptor == descriptor }
            return listener?.take() ?? -EAGAIN
        }
    }

    func piece(to descriptor: Int32) -> Int? {
        pump.state.withLock { state in
            state.ways[descriptor].flatMap { state.faults[$0]?.piece }
        }
    }

    func piece(from descriptor: Int32) -> Int? {
        pump.state.withLock { state in
            state.ways[descriptor].flatMap { way in
                state.faults[NetworkPath(from: way.to, to: way.from)]?.piece
            }
        }
    }

    // MARK: - Faults

    func change(_ path: NetworkPath, _ change: (inout NetworkFaults) -> Void) {
        pump.state.withLock { state in
            change(&state.faults[path, default: NetworkFaults()])
            for (number, wire) in state.wires where wire.connects(path.from, path.to) {
                pump.watch(wire, number, state)
            }
        }
    }

    func cut(_ one: String, _ other: String) {
        pump.state.withLock { pump.cut(one, other, &$0) }
    }
}
