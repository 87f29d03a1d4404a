// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import Synchronization

/// The folder and the processes that this run has, which both go with it: at its end, when it
/// fails, and on Ctrl-C. When it is killed, the system ends its processes.
enum Workspace {
    private struct State {
        var folder: String?
        var folders = 0
        var processes: Set<pid_t> = []
        var isOver = false
        /// The sources of signals, which have to be kept to be called.
        var signals: [any DispatchSourceSignal] = []
    }

    private static let state = Mutex(State())

    /// A new folder for one subject, with a short path: a socket's has 108 bytes at most.
    static func newFolder() -> String {
        let folder = state.withLock { state -> String? in
            if state.isOver { return nil }
            if state.folder == nil {
                state.folder = temporaryFolder()
                state.signals = [SIGINT, SIGTERM, SIGHUP].map(catchSignal)
            }
            state.folders += 1
            return state.folder.map { "\($0)/\(state.folders)" }
        }
        guard let folder, mkdir(folder, 0o700) == 0 else {
            fail("no folder for sockets could be made in /tmp")
        }
        return folder
    }

    private static func temporaryFolder() -> String? {
        var path = Array("/tmp/switchyard-benchmarks-XXXXXX".utf8CString)
        guard mkdtemp(&path) != nil else { return nil }
        return path.withUnsafeBufferPointer { buffer in
            buffer.baseAddress.map { String(cString: $0) }
        }
    }

    /// Notes a process that has to end.
    static func began(_ process: pid_t) {
        state.withLock { _ = $0.processes.insert(process) }
    }

    /// Waits for the end of a process, after a signal if it does not end by itself.
    static func end(_ process: pid_t, with signal: Int32?) {
        if let signal { kill(process, signal) }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 && errno == EINTR {}
        state.withLock { _ = $0.processes.remove(process) }
    }

    /// Ends all processes and removes the folder.
    static func clear() {
        let (folder, processes) = state.withLock { state in
            defer { state = State(isOver: true) }
            return (state.folder, state.processes)
        }
        // The processes are stopped first, so that none complains that another one has gone.
        for process in processes { kill(process, SIGSTOP) }
        for process in processes { end(process, with: SIGKILL) }
        if let folder { try? FileManager.default.removeItem(atPath: folder) }
    }

    /// Ends the run with a message, because it can't go on.
    static func fail(_ message: String) -> Never {
        // While a signal's handler does so, our own processes end: that is no failure.
        while state.withLock({ $0.isOver }) { pause() }
        clear()
        FileHandle.standardError.write(Data("switchyard-benchmarks: \(message)\n".utf8))
        exit(1)
    }

    /// Clears up before a signal has its usual effect.
    private static func catchSignal(_ number: Int32) -> any DispatchSourceSignal {
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
        source.setEventHandler {
            clear()
            signal(number, SIG_DFL)
            kill(getpid(), number)
        }
        source.resume()
        return source
    }
}
