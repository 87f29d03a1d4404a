// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import Foundation
@_spi(Engine) internal import SwitchyardCore

/// What happens when the process exits in an orderly way: what was posted still goes to the server.
enum NATSExit {
    private static let transports: Guarded<[NATSTransport]> = {
        atexit { NATSExit.leave() }
        return Guarded([])
    }()

    static func add(_ transport: NATSTransport) {
        transports.withLock { $0.append(transport) }
    }

    static func remove(_ transport: NATSTransport) {
        transports.withLock { transports in transports.removeAll { $0 === transport } }
    }

    private static func leave() {
        for transport in transports.withLock({ $0 }) where !transport.isForked {
            transport.leavePeers()
            // With no connection there is nobody to wait for.
            _ = transport.session?.flush(within: 5_000)
        }
    }
}
#endif
