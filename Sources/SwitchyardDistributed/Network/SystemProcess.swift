// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
internal import Foundation
@_spi(Engine) internal import SwitchyardCore

/// The system's information on processes that have not introduced themselves: most often they are
/// stopped. For display only; slow.
enum SystemProcess {
    /// Returns the name of a process's program, and its first argument unless that is an option, as
    /// in `switchyard observe` or `python3 converter.py`. The other arguments are not shown,
    /// because there may be secrets among them.
    ///
    /// - Returns: `?` if the system does not tell.
    static func name(of process: Int32) -> String {
        guard process > 0 else { return "?" }
        let words = contents(of: "/proc/\(process)/cmdline")
            .split(separator: 0, maxSplits: 2)
            .prefix(2)
            .map { ($0.split(separator: UInt8(ascii: "/")).last ?? $0) }
            .map { String(decoding: $0, as: UTF8.self) }
        guard let program = words.first else { return "?" }
        guard let argument = words.dropFirst().first, !argument.hasPrefix("-"),
            !argument.contains("@"), !argument.contains("=")
        else { return program }
        return "\(program) \(argument)"
    }

    /// Finds the process that listens at a unix socket.
    ///
    /// - Parameter name: The last part of the path that the socket was bound to.
    /// - Returns: The process's number; 0 if that can't be found out.
    static func listening(at name: String) -> Int32 {
        // The table is read in pieces, and may lack a socket when others come and go meanwhile.
        for _ in 0..<20 {
            guard let socket = socket(named: name) else { continue }
            let owner = owner(of: "socket:[\(socket)]")
            if owner != 0 { return owner }
        }
        return 0
    }

    /// Returns the inode number of the socket that was bound to a path whose last part is `name`.
    private static func socket(named name: String) -> Substring? {
        let table = String(decoding: contents(of: "/proc/net/unix"), as: UTF8.self)
        let lines = table.split(separator: "\n")
        // Connections that were not accepted yet stand there under the same path, without a number.
        return lines.lazy.filter { $0.hasSuffix("/\(name)") }
            .map { $0.split(separator: " ") }
            .first { $0.count > 6 && $0[6] != "0" }?[6]
    }

    /// Returns the process that has a socket open; 0 if this user can see none.
    private static func owner(of socket: String) -> Int32 {
        let files = FileManager.default
        for entry in names(in: "/proc") {
            guard let process = Int32(entry) else { continue }
            let folder = "/proc/\(process)/fd"
            // Other users' descriptors are not shown; no member belongs to another user.
            for file in names(in: folder)
            where (try? files.destinationOfSymbolicLink(atPath: "\(folder)/\(file)")) == socket {
                return process
            }
        }
        return 0
    }

    /// Returns the bytes of a file that the kernel makes while it is read; none if it can't be
    /// read. (FileManager ends with the first 4 KiB of such a file.)
    private static func contents(of path: String) -> [UInt8] {
        guard let file = fopen(path, "re") else { return [] }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = fread(&piece, 1, piece.count, file)
            if count == 0 { return bytes }
            bytes += piece.prefix(count)
        }
    }

    /// Returns the names in a folder whose entries come and go meanwhile, which FileManager takes
    /// for an error.
    private static func names(in folder: String) -> [String] {
        guard let open = opendir(folder) else { return [] }
        defer { closedir(open) }
        var names: [String] = []
        while let entry = readdir(open) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            names.append(name)
        }
        return names
    }
}
