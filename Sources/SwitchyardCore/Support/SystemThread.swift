// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard

/// Starts threads of Switchyard's own. Not by Foundation's `Thread`, which does not say when the
/// system can't start one.
package enum SystemThread {
    private final class Body {
        let name: String
        let run: @Sendable () -> Void

        init(_ name: String, _ run: @escaping @Sendable () -> Void) {
            self.name = name
            self.run = run
        }

        func begin() {
            ThreadName.current = name
            switchyard_block_signals()
            run()
        }
    }

    /// Runs `body` on a thread of its own, which gets no signals.
    ///
    /// - Parameters:
    ///   - name: the thread's name in debuggers; at most 15 bytes.
    ///   - stackBytes: the size of its stack.
    ///   - body: the code to run.
    /// - Returns: Zero, or the system's error number when it can't start a thread.
    package static func tryToStart(
        _ name: String, stackBytes: Int = 512 * 1024, _ body: @escaping @Sendable () -> Void
    ) -> Int32 {
        let context = Unmanaged.passRetained(Body(name, body))
        let error = switchyard_thread_start(
            stackBytes,
            { context in
                context.map { Unmanaged<Body>.fromOpaque($0).takeRetainedValue() }?.begin()
                return nil
            }, context.toOpaque())
        if error != 0 { context.release() }
        return error
    }
}
