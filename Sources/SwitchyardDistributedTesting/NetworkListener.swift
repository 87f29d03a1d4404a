// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
internal import Foundation

/// A queue of incoming connections to a member.
final class NetworkListener: @unchecked Sendable {
    // Sendable: the variables are guarded by the pump's lock.

    /// The member's name.
    let name: String
    let descriptor: Int32
    private let signal: switchyard_signal
    var isPublished = false
    private var waiting: [Int32] = []

    init(_ name: String, _ descriptor: Int32, raisedBy raised: Int32) {
        self.name = name
        self.descriptor = descriptor
        signal = switchyard_signal(read_end: descriptor, write_end: raised)
    }

    deinit {
        // The read end belongs to the mesh, which closes it.
        close(signal.write_end)
        for end in waiting { close(end) }
    }

    func add(_ end: Int32) {
        waiting.append(end)
        switchyard_signal_raise(signal)
    }

    /// Removes and returns the next waiting connection.
    func take() -> Int32? {
        if waiting.count <= 1 { switchyard_signal_clear(signal) }
        return waiting.isEmpty ? nil : waiting.removeFirst()
    }
}
