// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import Foundation

/// A TCP socket's descriptor, which is closed with the object. Closed on exec, and non-blocking.
final class OwnedSocket: Sendable {
    let descriptor: CInt

    /// Creates a socket; nil if the system has none left.
    init?(family: CInt) {
        #if canImport(Darwin)
        descriptor = socket(family, SOCK_STREAM, 0)
        #else
        // From the first moment: another thread may start a program at any time.
        descriptor = socket(family, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        #endif
        if descriptor < 0 { return nil }
        prepare()
    }

    /// Takes over a descriptor.
    init(taking descriptor: CInt) {
        self.descriptor = descriptor
        prepare()
    }

    deinit { close(descriptor) }

    private func prepare() {
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    }

    /// Waits until the socket can be read from, or written to.
    ///
    /// - Returns: Whether it can be before `end`.
    func waits(for event: CInt, until end: ContinuousClock.Instant) -> Bool {
        while true {
            let rest = end - .now
            var entry = pollfd(fd: descriptor, events: Int16(event), revents: 0)
            let count = poll(&entry, 1, rest <= .zero ? 0 : CInt(clamping: rest.milliseconds))
            if count > 0 { return true }
            if rest <= .zero || (count < 0 && errno != EINTR) { return false }
        }
    }

    /// Ends the connection for all who use it. The descriptor stays.
    func end() { shutdown(descriptor, CInt(SHUT_RDWR)) }
}
#endif
