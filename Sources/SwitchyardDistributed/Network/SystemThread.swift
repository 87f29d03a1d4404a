// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
internal import Switchyard

/// Starts the threads that read, write and wait for servers. Not by Foundation's `Thread`, which does
/// not say when the system can't start one.
package enum SystemThread {
    fileprivate final class Body {
        let name: String
        let run: @Sendable () -> Void

        init(_ name: String, _ run: @escaping @Sendable () -> Void) {
            self.name = name
            self.run = run
        }
    }

    /// Runs `body` on a thread of its own, which gets no signals.
    ///
    /// - Parameters:
    ///   - name: the thread's name in debuggers; at most 15 bytes.
    ///   - stackBytes: the size of its stack.
    ///   - body: the code to run.
    /// - Throws: ``DistributedCenterError`` when the system can't start a thread.
    package static func start(
        _ name: String, stackBytes: Int = 512 * 1024, _ body: @escaping @Sendable () -> Void
    ) throws(DistributedCenterError) {
        let context = Unmanaged.passRetained(Body(name, body))
        let error = switchyard_thread_start(
            stackBytes,
            { context in
                context.map { Unmanaged<Body>.fromOpaque($0).takeRetainedValue() }?.begin()
                return nil
            }, context.toOpaque())
        if error == 0 { return }
        context.release()
        throw DistributedCenterError(
            .outOfThreads,
            "the system can't start the thread \(name): \(DistributedCenterError.text(for: -error)); "
                + "end threads, or raise the limits (ulimit -u, ulimit -v)")
    }
}

extension SystemThread.Body {
    fileprivate func begin() {
        ThreadName.current = name
        switchyard_block_signals()
        run()
    }
}
