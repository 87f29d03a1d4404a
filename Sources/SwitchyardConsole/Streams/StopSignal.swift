// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import Synchronization

/// A signal that stops readers, even while they wait for their files to grow.
public final class StopSignal: Sendable {
    /// A descriptor that becomes readable, for all that poll it, when the signal is raised.
    public let descriptor: Int32
    private let writeEnd: Int32
    private let raised = Atomic<Bool>(false)

    /// Creates a signal that is not raised.
    public init() throws(SystemError) {
        // A started program that inherited the write end would keep the descriptor from becoming
        // readable.
        let pipe = try SystemPipe()
        (descriptor, writeEnd) = (pipe.readEnd, pipe.writeEnd)
    }

    deinit {
        raise()
        close(descriptor)
    }

    /// Whether the signal has been raised.
    public var isRaised: Bool { raised.load(ordering: .relaxed) }

    /// Raises the signal. Callable from any thread, any number of times.
    public func raise() {
        if !raised.exchange(true, ordering: .relaxed) { close(writeEnd) }
    }
}
