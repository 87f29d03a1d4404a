// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation

/// A program that is run to its end, with files as its standard input and output.
///
/// Not Foundation's `Process`: it runs the caller's run loop while it waits, and a pipe that the
/// program does not read ends the caller by SIGPIPE. This is called in the user's process.
enum ChildProgram {
    /// Runs a program.
    ///
    /// - Parameter arguments: its name, which is looked for in `PATH`, and its arguments.
    /// - Returns: The program's standard output; nil if it can't be run, or fails.
    static func output(of arguments: [String], input: Data) -> Data? {
        guard let inputFile = namelessFile(), let outputFile = namelessFile() else { return nil }
        do {
            try inputFile.write(contentsOf: input)
            try inputFile.seek(toOffset: 0)
            guard run(arguments, inputFile.fileDescriptor, outputFile.fileDescriptor) else {
                return nil
            }
            try outputFile.seek(toOffset: 0)
            return try outputFile.readToEnd() ?? Data()
        } catch {
            return nil
        }
    }

    /// A temporary file that has lost its name already, so that nothing is left of it.
    private static func namelessFile() -> FileHandle? {
        let path = FileManager.default.temporaryDirectory
            .appendingPathComponent("switchyard-\(UUID().uuidString)").path
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return nil }
        unlink(path)
        return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    private static func run(_ arguments: [String], _ input: Int32, _ output: Int32) -> Bool {
        #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        #else
        var actions = posix_spawn_file_actions_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        var words = arguments.map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var child: pid_t = 0
        guard let name = words[0],
            posix_spawnp(&child, name, &actions, nil, &words, environ) == 0
        else { return false }
        return ends(child)
    }

    /// The longest that a program may run: a file that it opens may be one that never gives an
    /// answer.
    private static let limit = Duration.seconds(20)

    /// Waits for the end of a child, which is ended if it takes too long.
    ///
    /// - Returns: Whether it ended as it should.
    private static func ends(_ child: pid_t) -> Bool {
        let end = ContinuousClock.now + limit
        var status: Int32 = 0
        while true {
            let result = waitpid(child, &status, WNOHANG)
            if result == child { return status == 0 }
            // A caller that ignores SIGCHLD learns no status: the output says enough.
            if result < 0, errno != EINTR { return errno == ECHILD }
            if ContinuousClock.now > end { kill(child, SIGKILL) }
            usleep(1000)
        }
    }
}
