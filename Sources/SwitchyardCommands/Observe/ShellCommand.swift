// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import SwitchyardConsole
internal import SwitchyardCore

/// A shell command that is run repeatedly, each time with another input.
final class ShellCommand: Sendable {
    private let command: String
    private struct State {
        /// The process that runs the command; 0 if there is none.
        var process: pid_t = 0
        var isTerminated = false
    }

    private let state = Guarded(State())
    /// Raised when the command is to end: nothing more is written to it, nor to what it has
    /// started.
    private let stop: StopSignal

    /// The failure of a command.
    struct Failure {
        /// Says how the command failed.
        let complaint: String
        /// The signal that ended the command; 0 if it ended by itself.
        let signal: Int32
    }

    init(_ command: String) throws(SystemError) {
        self.command = command
        stop = try StopSignal()
        // Where the caller of this process ignores it, the system would keep no command's status.
        signal(SIGCHLD, SIG_DFL)
    }

    /// Runs the command to its end.
    ///
    /// - Parameters:
    ///   - environment: variables to set in addition to this process's environment; a nil value
    ///     removes the variable.
    ///   - input: the command's standard input.
    /// - Returns: The command's failure; nil if it succeeded.
    func run(_ environment: [String: String?], input: [UInt8]) throws(SystemError) -> Failure? {
        let pipe = try SystemPipe()
        let started: pid_t
        do throws(SystemError) {
            started = try state.withLock { state throws(SystemError) in
                state.process = try start(environment, input: pipe.readEnd)
                if state.isTerminated { Self.terminate(state.process) }
                return state.process
            }
        } catch {
            pipe.close()
            throw error
        }
        close(pipe.readEnd)
        write(input, to: pipe.writeEnd)
        close(pipe.writeEnd)
        return failure(wait(for: started))
    }

    /// Asks the running command to end, or the next one if it is about to start. Callable from any
    /// thread.
    func terminate() {
        stop.raise()
        state.withLock { state in
            state.isTerminated = true
            if state.process != 0 { Self.terminate(state.process) }
        }
    }

    // MARK: - Steps

    private static func terminate(_ process: pid_t) {
        kill(process, SIGTERM)
        // A command that is stopped gets the signal when it goes on.
        kill(process, SIGCONT)
    }

    private func start(
        _ environment: [String: String?], input: Int32
    ) throws(SystemError) -> pid_t {
        var files = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&files)
        defer { posix_spawn_file_actions_destroy(&files) }
        posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // Resets signals that this process blocks or ignores to what other programs expect.
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigaddset(&signals, SIGPIPE)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        var process = pid_t()
        let error = Self.withCStrings(["/bin/sh", "-c", command]) { arguments in
            Self.withOwnEnvironment(and: environment) { environment in
                posix_spawn(&process, "/bin/sh", &files, &attributes, arguments, environment)
            }
        }
        if error != 0 { throw SystemError(code: error) }
        return process
    }

    /// Calls `body` with this process's environment, some of whose variables are set or removed, as
    /// a null-terminated C array. The others stay as they are: Foundation's environment would repair
    /// values that are not UTF-8.
    private static func withOwnEnvironment<Result>(
        and changes: [String: String?], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        var own: [UnsafeMutablePointer<CChar>?] = []
        var next: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = environ
        while let place = next, let entry = place.pointee {
            let isChanged = changes.keys.contains { name in
                strncmp(entry, name + "=", name.utf8.count + 1) == 0
            }
            if !isChanged { own.append(entry) }
            next = place + 1
        }
        let added = changes.compactMap { name, value in value.map { "\(name)=\($0)" } }
        return withCStrings(added) { body(own + $0) }
    }

    /// Calls `body` with the strings as a null-terminated C array.
    private static func withCStrings<Result>(
        _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        // C strings end at a zero byte, and a name may contain one.
        let copies = strings.map { strdup($0.replacingOccurrences(of: "\0", with: "\u{FFFD}")) }
        defer { for copy in copies { free(copy) } }
        return body(copies + [nil])
    }

    /// Writes the whole input, unless the command ends without having read it, or is asked to end.
    private func write(_ input: [UInt8], to descriptor: Int32) {
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        input.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let part = UnsafeRawBufferPointer(rebasing: rest)
                let count = Foundation.write(descriptor, part.baseAddress, part.count)
                if count >= 0 {
                    rest = rest.dropFirst(count)
                } else if errno == EAGAIN {
                    if !waitForRoom(in: descriptor) { return }
                } else if errno != EINTR {
                    return
                }
            }
        }
    }

    /// Waits until a pipe takes more.
    ///
    /// - Returns: False if the command is asked to end.
    private func waitForRoom(in descriptor: Int32) -> Bool {
        var ends = [
            pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0),
            pollfd(fd: stop.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        while poll(&ends, nfds_t(ends.count), -1) < 0, errno == EINTR {}
        return !stop.isRaised
    }

    /// Waits for the process, and returns its status as `waitpid` gives it.
    private func wait(for started: pid_t) -> Int32 {
        // The process keeps its number until `waitpid`, so `terminate()` can't signal another
        // process.
        var information = siginfo_t()
        while waitid(P_PID, id_t(started), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        return state.withLock { state in
            var status: Int32 = 0
            while waitpid(started, &status, 0) < 0, errno == EINTR {}
            state.process = 0
            return status
        }
    }

    private func failure(_ status: Int32) -> Failure? {
        let signal = status & 0x7F
        if signal != 0 {
            return Failure(complaint: "was ended by signal \(signal)", signal: signal)
        }
        let code = status >> 8 & 0xFF
        return code == 0 ? nil : Failure(complaint: "failed with status \(code)", signal: 0)
    }
}
