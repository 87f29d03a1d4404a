// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation

/// What every command needs of standard input, output and error.
enum StandardStreams {
    /// Fills the places of those that are closed (`>&-`): a socket would get the number otherwise, and
    /// be written to. Reading or writing there fails, as it did. Before anything is opened.
    static func fillGaps() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
            // The lowest free number is this one.
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }

    /// Has the process fail, at its exit, if what was printed as `print` does it can't be written.
    static func checkAtExit() {
        atexit {
            if fflush(nil) == 0 { return }
            let failure = SystemError.last
            Notices.print("switchyard: \(OutputBuffer.words(for: failure))")
            _exit(EXIT_FAILURE)
        }
    }
}
