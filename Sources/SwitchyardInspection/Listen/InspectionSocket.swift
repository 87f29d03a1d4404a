// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
internal import Dispatch
internal import Foundation
internal import SwitchyardCore
internal import SwitchyardWire

/// The socket on which a process waits for tools, in the folder `.inspect` beside those of the
/// domains. Its name is the process's number, and random, so that it is used once.
///
/// Dispatch watches the socket, with no thread of ours. The first tool that connects has a thread
/// started.
final class InspectionSocket: @unchecked Sendable {
    // Sendable: constant; dispatch lets a source be used from any thread.
    private let folder: RuntimeFolder
    private let name: String
    private let listener: Int32
    private let source: any DispatchSourceRead
    /// The number of forks before the socket was made.
    private let generation = switchyard_fork_generation()
    /// The socket's file, which keeps its number when it gets its name.
    private let file: FileNumber?
    private static let queue = DispatchQueue(label: "switchyard.inspection")

    /// The most tools that may look at the same time.
    private static let mostWatchers = 16

    /// The number of forks before the first socket was made, by this process or a parent.
    private static let firstGeneration = switchyard_fork_generation()

    /// False in a child of a process that has made a socket: dispatch, which waits at sockets, can't
    /// be used in a forked child once its parent has used it.
    static var canBeMade: Bool { firstGeneration == switchyard_fork_generation() }

    init() throws {
        folder = try RuntimeFolder.forInspection()
        name = "\(getpid()).\(String(UInt32.random(in: 1...UInt32.max), radix: 16))"
        // Hidden until it listens: a tool that is refused at a socket takes its process for dead.
        listener = switchyard_socket_listen(folder.descriptor, folder.path, "." + name)
        if listener < 0 { throw InspectionError("can't listen in \(folder.path)", -listener) }
        file = FileNumber(of: folder.path + "/." + name)
        _ = switchyard_fork_closes(listener)
        source = DispatchSource.makeReadSource(fileDescriptor: listener, queue: Self.queue)
        let listener = listener
        source.setEventHandler { Self.accept(listener) }
        source.setCancelHandler { switchyard_fork_close(listener) }
        source.activate()
        if renameat(folder.descriptor, "." + name, folder.descriptor, name) != 0 {
            let error = errno
            close()
            throw InspectionError("can't publish the socket in \(folder.path)", error)
        }
        Self.withdrawAtExit(folder, name)
    }

    /// Whether the socket is this process's, and not that of a parent which forked it.
    var isOwn: Bool { generation == switchyard_fork_generation() }

    /// Whether tools find the socket at its path.
    var isInPlace: Bool { file != nil && FileNumber(of: folder.path + "/" + name) == file }

    /// Closes the socket. Not to be called in a forked child.
    func close() {
        for name in [name, "." + name] { unlinkat(folder.descriptor, name, 0) }
        source.cancel()
    }

    private static func accept(_ listener: Int32) {
        while true {
            let connection = switchyard_socket_accept(listener)
            if [-EMFILE, -ENFILE].contains(connection) {
                // The tool stays in the queue, so dispatch would call this again at once, and
                // again.
                usleep(100_000)
                return
            }
            if connection < 0 { return }
            guard isOwn(connection), Watcher.count < mostWatchers, Watcher.start(connection) else {
                Foundation.close(connection)
                continue
            }
        }
    }

    /// Whether a process of the same user is at the other end, by the kernel's word.
    static func isOwn(_ connection: Int32) -> Bool {
        var (user, process): (UInt32, Int32) = (0, 0)
        return switchyard_socket_peer(connection, &user, &process) == 0 && user == geteuid()
    }

    /// The sockets to remove at the process's exit.
    private static let atExit = Guarded<[String]?>(nil)

    private static func withdrawAtExit(_ folder: RuntimeFolder, _ name: String) {
        let path = "\(folder.path)/\(name)"
        let isFirst = atExit.withLock { paths in
            defer { paths = (paths ?? []) + [path] }
            return paths == nil
        }
        guard isFirst else { return }
        atexit { InspectionSocket.removeAll() }
    }

    /// Removes the process's own sockets, not those of a parent that forked it.
    private static func removeAll() {
        let own = "/\(getpid())."
        for path in atExit.withLock({ $0 ?? [] }) where path.contains(own) { unlink(path) }
    }
}
