// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import CSwitchyard
import Foundation

/// A process of another user. It becomes that user, and then connects to a member's socket, or
/// listens where members would find it. It prints that it listens, or the outcome of its
/// connection.
enum Stranger {
    static func run(_ arguments: [String]) -> Never {
        guard arguments.count == 3, let user = uid_t(arguments[2]), setgid(user) == 0,
            setuid(user) == 0
        else { fatalError("stranger connect|listen PATH USER, as root") }
        let url = URL(fileURLWithPath: arguments[1])
        let (folder, name) = (url.deletingLastPathComponent().path, url.lastPathComponent)
        if arguments[0] == "connect" {
            report(switchyard_socket_connect(-1, folder, name))
        } else {
            let listener = switchyard_socket_listen(-1, folder, name)
            say(listener >= 0 ? "listening" : String(cString: strerror(-listener)))
            wait(for: listener)
            report(switchyard_socket_accept(listener))
        }
    }

    private static func report(_ connection: Int32) -> Never {
        guard connection >= 0 else {
            say(String(cString: strerror(-connection)))
            exit(0)
        }
        wait(for: connection)
        var bytes = [UInt8](repeating: 0, count: 1_000)
        let count = bytes.withUnsafeMutableBytes {
            switchyard_socket_receive(connection, $0.baseAddress, $0.count)
        }
        say(count > 0 ? "heard \(count) bytes" : "refused")
        exit(0)
    }

    private static func say(_ line: String) {
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }

    private static func wait(for descriptor: Int32) {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        poll(&entry, 1, 30_000)
    }
}
