// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import Synchronization

/// Ends the readers, also while they wait for their files to grow.
final class StopSignal: Sendable {
    /// Becomes readable, for all who poll it, when the signal is raised.
    let descriptor: Int32
    private let writeEnd: Int32
    private let raised = Atomic<Bool>(false)

    init() throws(SystemError) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw .last }
        (descriptor, writeEnd) = (ends[0], ends[1])
        // A program that is started while this is there would keep it from ever being raised.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    }

    deinit {
        raise()
        close(descriptor)
    }

    /// Whether it is time to end.
    var isRaised: Bool { raised.load(ordering: .relaxed) }

    /// From any thread, any number of times.
    func raise() {
        if !raised.exchange(true, ordering: .relaxed) { close(writeEnd) }
    }
}
