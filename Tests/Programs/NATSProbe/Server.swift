// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import Foundation
internal import SwitchyardCore

/// A `nats-server` on a free port of the loopback, with a folder of its own.
///
/// The server can be killed, stopped and started again, on the same port.
package final class Server: Sendable {
    private let clientPort: Port
    private let clusterPort: Port
    package let folder: String
    private let arguments: [String]
    private let process = Guarded<Process?>(nil)

    package var port: Int { clientPort.number }
    package var url: String { "nats://127.0.0.1:\(port)" }

    /// - Parameters:
    ///   - arguments: the arguments of its command line.
    ///   - configuration: the text of its configuration file.
    ///   - cluster: another server, with which it forms a cluster.
    package init(
        _ arguments: [String] = [], configuration: String = "", cluster: Server? = nil,
        isClustered: Bool = false
    ) throws {
        clientPort = try Port()
        clusterPort = try Port()
        folder = NSTemporaryDirectory() + "switchyard-nats-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        var all = ["-a", "127.0.0.1", "-p", "\(clientPort.number)", "-sd", folder] + arguments
        if !configuration.isEmpty {
            let file = folder + "/server.conf"
            try configuration.write(toFile: file, atomically: true, encoding: .utf8)
            all += ["-c", file]
        }
        if isClustered || cluster != nil {
            all += [
                "--cluster_name", "tests", "--cluster", "nats://127.0.0.1:\(clusterPort.number)",
            ]
        }
        if let cluster { all += ["--routes", "nats://127.0.0.1:\(cluster.clusterPort.number)"] }
        self.arguments = all
        try start()
    }

    deinit {
        end(SIGKILL)
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Replaces the text of the configuration file, for the next start. The server must have been
    /// made with one.
    package func configure(_ configuration: String) throws {
        try configuration.write(
            toFile: folder + "/server.conf", atomically: true, encoding: .utf8)
    }

    /// Starts it, and waits until it listens.
    package func start() throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Self.program)
        process.arguments = arguments
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        try process.run()
        _ = self.process.exchange(process)
        let limit = ContinuousClock.now + .seconds(60)
        while !Self.listens(port) {
            guard process.isRunning, ContinuousClock.now < limit else {
                throw ServerError(description: "nats-server did not start: \(arguments)")
            }
            usleep(5_000)
        }
    }

    /// The server's process; nil while there is none.
    package var processIdentifier: Int32? { process.withLock { $0?.processIdentifier } }

    package func send(_ signal: Int32) {
        if let processIdentifier { kill(processIdentifier, signal) }
    }

    /// Ends it, and waits until it has ended.
    package func end(_ signal: Int32 = SIGKILL) {
        guard let process = process.exchange(nil) else { return }
        kill(process.processIdentifier, signal)
        kill(process.processIdentifier, SIGCONT)
        waitForEnd(of: process)
    }

    // MARK: - The program nats-server

    private static var program: String {
        ["/usr/sbin/nats-server", "/usr/bin/nats-server", "/usr/local/bin/nats-server"]
            .first { FileManager.default.isExecutableFile(atPath: $0) } ?? "nats-server"
    }

    private static func listens(_ port: Int) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in.loopback(port)
        return withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}

package struct ServerError: Error, CustomStringConvertible {
    package let description: String

    package init(description: String) { self.description = description }
}
#endif
