// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
internal import Foundation
internal import SwitchyardDistributed

/// The network as one center sees it.
final class NetworkMember: MeshNetwork {
    private let name: String
    private let hub: NetworkHub

    init(_ name: String, _ hub: NetworkHub) {
        self.name = name
        self.hub = hub
    }

    func listen(as address: String) throws -> Int32 {
        let listener = switchyard_signal_create()
        // The mesh closes the descriptor that it gets; the descriptor that raises it has to last
        // until then.
        let raised = fcntl(listener.write_end, F_DUPFD_CLOEXEC, 0)
        if listener.write_end != listener.read_end { close(listener.write_end) }
        guard listener.read_end >= 0, raised >= 0 else {
            throw DistributedCenterError.outOfDescriptors
        }
        hub.listen(as: address, NetworkListener(name, listener.read_end, raisedBy: raised))
        return listener.read_end
    }

    func publish(_ address: String) throws { hub.publish(address) }

    func withdraw(_ address: String) { hub.withdraw(address) }

    func addresses() throws -> [String] { hub.addresses }

    func connect(to address: String) -> Int32 { hub.connect(name, to: address) }

    func accept(from listener: Int32) -> Int32 { hub.accept(from: listener) }

    func process(behind descriptor: Int32) throws(DistributedCenterError) -> Int32 { getpid() }

    func send(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int {
        let count = hub.piece(to: descriptor).map { min($0, bytes.count) } ?? bytes.count
        return switchyard_socket_send(descriptor, bytes.baseAddress, count)
    }

    func receive(into bytes: UnsafeMutableRawBufferPointer, from descriptor: Int32) -> Int {
        let count = hub.piece(from: descriptor).map { min($0, bytes.count) } ?? bytes.count
        return switchyard_socket_receive(descriptor, bytes.baseAddress, count)
    }
}
