// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation

/// Preparations of standard input, output and error, for all commands.
enum StandardStreams {
    /// Opens `/dev/null` in the place of closed standard streams (`>&-`). Otherwise a socket could
    /// get such a number, and be written to. Reading or writing these streams still fails. Call it
    /// before anything is opened.
    static func fillGaps() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
            // `open` returns the lowest free number, which is this one.
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }

    /// The number of files that a command has open when there is no other process: sockets, the
    /// folder, and the descriptors that its threads wait for.
    private static let fewestFiles = 20

    /// Ends the process with a message if it may open too few files, because the system's libraries
    /// would trap. Makes these libraries open their files before connections take the rest.
    static func checkFiles() {
        var files: [Int32] = []
        for _ in 0..<fewestFiles {
            let file = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3)
            if file < 0 { break }
            files.append(file)
        }
        for file in files { close(file) }
        if files.count < fewestFiles {
            Notices.print(
                "switchyard: this process may have too few files open: \(files.count), where "
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
    static func checkAtExit() {
        atexit {
            if fflush(nil) == 0 { return }
            let failure = SystemError.last
            Notices.print("switchyard: \(OutputBuffer.words(for: failure))")
            _exit(EXIT_FAILURE)
        }
    }
}
