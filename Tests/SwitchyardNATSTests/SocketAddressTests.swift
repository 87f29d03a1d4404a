// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
import Foundation
import TestSupport
import Testing

@testable import SwitchyardNATS

@Suite("Sockets of this process") struct SocketAddressTests {
    private func listener() throws -> (socket: OwnedSocket, address: SocketAddress) {
        let socket = try #require(OwnedSocket(family: AF_INET))
        #expect(SocketAddress.loopback.bind(socket.descriptor))
        #expect(listen(socket.descriptor, 4) == 0)
        return (socket, try #require(SocketAddress(ownOf: socket.descriptor)))
    }

    /// A socket with this address of its own, connected to a listener.
    private func client(
        _ own: SocketAddress, to listener: OwnedSocket
    ) throws -> (OwnedSocket, peer: SocketAddress) {
        let socket = try #require(OwnedSocket(family: AF_INET))
        var on: CInt = 1
        setsockopt(
            socket.descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<CInt>.size))
        #expect(own.bind(socket.descriptor))
        var address = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getsockname(listener.descriptor, $0, &size)
                _ = connect(socket.descriptor, $0, size)
            }
        }
        #expect(socket.waits(for: CInt(POLLOUT), until: .now + patience))
        return (socket, try #require(SocketAddress(ownOf: socket.descriptor)))
    }

    @Test func `The connection to the right address is found among two from one port`() throws {
        let (one, other) = (try listener(), try listener())
        let (first, own) = try client(.loopback, to: one.socket)
        let (second, same) = try client(own, to: other.socket)
        #expect(own == same)
        #expect(SocketAddress.descriptor(from: own, to: one.address) == first.descriptor)
        #expect(SocketAddress.descriptor(from: own, to: other.address) == second.descriptor)
        #expect(SocketAddress.descriptor(from: one.address, to: own) == nil)
    }
}
#endif
