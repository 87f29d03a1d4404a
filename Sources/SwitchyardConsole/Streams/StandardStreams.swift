// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import SwitchyardCore

/// Preparations of standard input, output and error.
public enum StandardStreams {
    /// The program's name, for messages at its exit.
    private static let program = Guarded("")

    /// Prepares the process on its main thread, before anything is opened and the arguments are
    /// parsed. Ends the process with a message if it can't work in its surroundings.
    ///
    /// - Parameter program: the program's name, for messages.
    public static func prepare(for program: String) {
        self.program.withLock { $0 = program }
        fillGaps()
        checkAtExit()
        ArgumentCheck.run(program)
        checkThreads(program)
        checkFiles(program)
    }

    /// Opens `/dev/null` in the place of closed standard streams (`>&-`). Otherwise a socket could
    /// get such a number, and be written to. Reading or writing these streams still fails.
    private static func fillGaps() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
            // `open` returns the lowest free number, which is this one.
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }

    /// The number of files that a command has open when there is no other process: sockets, the
    /// folder, and the descriptors that its threads wait for.
    private static let fewestFiles = 20

    /// The number of threads that a command has: those of its center and its signals, and those of
    /// the system's libraries.
    private static let fewestThreads = 6

    /// Ends the process with a message if it may start too few threads, because the system's
    /// libraries would try again for ever.
    private static func checkThreads(_ program: String) {
        let end = DispatchSemaphore(value: 0)
        var started = 0
        while started < fewestThreads, SystemThread.tryToStart("check", { end.wait() }) == 0 {
            started += 1
        }
        for _ in 0..<started { end.signal() }
        if started == fewestThreads { return }
        StandardErrorLog.print(
            "\(program): this process may start too few threads: \(started), where \(fewestThreads) are needed; end "
                + "other threads of this user, or raise the limit (ulimit -u)")
        exit(EXIT_FAILURE)
    }

    /// Ends the process with a message if it may open too few files, because the system's libraries
    /// would trap. Makes these libraries open their files before connections take the rest.
    private static func checkFiles(_ program: String) {
        var files: [Int32] = []
        for _ in 0..<fewestFiles {
            let file = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3)
            if file < 0 { break }
            files.append(file)
        }
        for file in files { close(file) }
        if files.count < fewestFiles {
            StandardErrorLog.print(
                "\(program): this process may open too few files: \(files.count), where "
                    + "\(fewestFiles) are needed, and two for each other process; raise the limit "
                    + "(ulimit -n)")
            exit(EXIT_FAILURE)
        }
        _ = RunLoop.main
        // Starts the timer of the task's executor. The task itself never ends.
        Task.detached { try await Task.sleep(for: .seconds(1_000_000)) }
        DispatchQueue.global().asyncAfter(deadline: .distantFuture) {}
    }

    /// Makes the process fail at its exit if output printed by `print` can't be written.
    private static func checkAtExit() {
        atexit {
            if fflush(nil) == 0 { return }
            let failure = SystemError.last
            let name = StandardStreams.program.withLock { $0 }
            StandardErrorLog.print("\(name): \(OutputBuffer.words(for: failure))")
            _exit(EXIT_FAILURE)
        }
    }
}
