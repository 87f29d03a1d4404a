// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import CSwitchyard
internal import Foundation
@_spi(Engine) internal import SwitchyardCore
internal import Synchronization

/// Gives libnats a connection that is made already, and ends the connection when libnats does not
/// get through with it in time.
///
/// libnats (3.4.1) waits without limit for a server that says who it is and then nothing: in the
/// handshake of TLS, and, with one core fully busy, for the answer to its first `PING`. It shows
/// its socket only afterwards. So it is told to connect to a listener in this process. Its socket
/// is the one whose own address and other end are those of the connection which the listener gets.
/// Before anything is sent, the connection to the server takes that socket's place, under the same
/// descriptor. From then on, libnats talks to the server, and this object can end the connection,
/// at which libnats gives up.
final class ServerHandover: Sendable {
    private let server: OwnedSocket
    private let listener: OwnedSocket
    private let bound: SocketAddress
    private let end: ContinuousClock.Instant
    private let isOver = Atomic<Bool>(false)
    private let over = ThreadSignal()
    private let left = ThreadSignal()
    private let didExpire = Atomic<Bool>(false)
    /// The address that libnats has to connect to.
    let address: String

    /// - Parameters:
    ///   - server: the connection to the server.
    ///   - end: the end of the time that libnats has.
    init(_ server: OwnedSocket, until end: ContinuousClock.Instant) throws {
        guard let listener = OwnedSocket(family: AF_INET) else { throw Self.failure() }
        let own = SocketAddress.loopback
        guard own.bind(listener.descriptor), listen(listener.descriptor, 8) == 0,
            let bound = SocketAddress(ownOf: listener.descriptor)
        else { throw Self.failure() }
        (self.server, self.listener, self.bound, self.end) = (server, listener, bound, end)
        address = "127.0.0.1:\(bound.port)"
        try BlockingThread.start("sw-nats-limit") { [self] in
            run()
            left.raise()
        }
    }

    private static func failure() -> NATSError {
        NATSError(
            "could not open a socket on the loopback: \(String(cString: strerror(errno))); "
                + "raise the limit of open files (ulimit -n)")
    }

    /// Ends the supervision of libnats, which has succeeded or failed.
    ///
    /// - Returns: Whether the time was over before.
    func finish() -> Bool {
        isOver.store(true, ordering: .sequentiallyConsistent)
        over.raise()
        _ = left.wait()
        return didExpire.load(ordering: .sequentiallyConsistent)
    }

    // MARK: - On a thread of its own

    private func run() {
        if handOver(), over.wait(until: end) { return }
        // libnats may have succeeded just now.
        if isOver.load(ordering: .sequentiallyConsistent) { return }
        didExpire.store(true, ordering: .sequentiallyConsistent)
        server.end()
        listener.end()
    }

    /// Waits for libnats to connect, and puts the server's connection into the place of its own.
    private func handOver() -> Bool {
        while ContinuousClock.now < end, !isOver.load(ordering: .sequentiallyConsistent) {
            let slice = min(end, .now + .milliseconds(20))
            guard listener.waits(for: CInt(POLLIN), until: slice) else { continue }
            let accepted = switchyard_socket_accept(listener.descriptor)
            if accepted < 0 {
                // Out of descriptors: the connection stays, and `poll` would not wait for another.
                usleep(10_000)
                continue
            }
            let other = OwnedSocket(taking: accepted)
            // Another process of this machine may connect as well.
            guard let peer = SocketAddress(peerOf: accepted),
                let place = SocketAddress.descriptor(from: peer, to: bound)
            else { continue }
            // libnats waits for the first line by now. If a read of its is under way in spite of
            // the pauses, the read ends with nothing, and the caller tries again.
            usleep(300)
            // Looked at again: libnats may have given up, and the number be another file's by now.
            let isReplaced =
                SocketAddress.isConnection(place, from: peer, to: bound)
                && switchyard_descriptor_replace(place, server.descriptor)
            usleep(300)
            // Ends libnats's wait on its own socket. Then it reads from the server's.
            withExtendedLifetime(other) {}
            return isReplaced
        }
        return false
    }
}
#endif
