// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard

/// A peer with the system's information on its process.
struct Introduction {
    let peer: DistributedPeer
    /// The time of the question, in the clock of ``switchyard_now()``.
    let time: UInt64

    /// Nanoseconds after which the system is asked again about a process that it did not find.
    private static let pause: UInt64 = 10_000_000_000

    /// Whether the introduction can be used for `peer`. One without a process can't be used for
    /// long, nor once the peer's process is known.
    func isValid(for peer: DistributedPeer) -> Bool {
        if self.peer.processIdentifier != 0 { return true }
        return peer.processIdentifier == 0 && switchyard_now() - time < Self.pause
    }
}
