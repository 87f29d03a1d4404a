// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardCore

extension SystemThread {
    /// Runs `body` on a thread of its own, which gets no signals: one that reads, writes or waits
    /// for servers.
    ///
    /// - Parameters:
    ///   - name: the thread's name in debuggers; at most 15 bytes.
    ///   - stackBytes: the size of its stack.
    ///   - body: the code to run.
    /// - Throws: ``DistributedCenterError`` when the system can't start a thread.
    package static func start(
        _ name: String, stackBytes: Int = 512 * 1024, _ body: @escaping @Sendable () -> Void
    ) throws(DistributedCenterError) {
        let error = tryToStart(name, stackBytes: stackBytes, body)
        if error == 0 { return }
        throw DistributedCenterError(
            .outOfThreads,
            "the system can't start the thread \(name): \(DistributedCenterError.text(for: -error)); "
                + "end threads, or raise the limits (ulimit -u, ulimit -v)")
    }
}
