// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
internal import Foundation

/// The folder in which the members of a domain have their sockets: the user's own, closed to
/// others.
package final class RuntimeFolder: Sendable {
    package let path: String
    /// The folder that contains this one.
    package let base: String
    /// The open folder, closed when this object is released.
    package let descriptor: Int32

    /// Opens the domain's folder, or makes it.
    package convenience init(domain: String) throws(RuntimeFolderError) {
        let name = try Self.fileName(of: domain)
        try self.init(base: try Self.base(), name: name)
    }

    /// Opens the folder `name` in the folder `base`, or makes them.
    package init(base: String, name: String) throws(RuntimeFolderError) {
        self.base = base
        path = base + "/" + name
        close(try Self.open(base))
        descriptor = try Self.open(path)
    }

    /// Opens the folder of the same path again, and makes it if it has gone.
    package func again() throws(RuntimeFolderError) -> RuntimeFolder {
        try RuntimeFolder(base: base, name: String(path.dropFirst(base.count + 1)))
    }

    deinit { close(descriptor) }

    /// Returns Switchyard's folder: in the folder that the environment names, in the session's
    /// runtime folder, or in the folder for temporary files.
    ///
    /// The first of these that applies is the only choice. A process that went on to the next
    /// because the folder can't be made now, on a full disk for example, would be alone there.
    package static func base() throws(RuntimeFolderError) -> String {
        if let chosen = try variable("SWITCHYARD_RUNTIME_DIR"), !chosen.isEmpty {
            return absolute(chosen) + "/switchyard"
        }
        let session = [try variable("XDG_RUNTIME_DIR") ?? "", "/run/user/\(geteuid())"]
        for folder in session where folder.hasPrefix("/") && switchyard_folder_is_own(folder) {
            return folder + "/switchyard"
        }
        return "/tmp/switchyard-\(geteuid())"
    }

    /// Returns the value of a variable of the environment. Foundation's would repair bytes that are
    /// not UTF-8, and so name another folder.
    private static func variable(_ name: String) throws(RuntimeFolderError) -> String? {
        guard let bytes = getenv(name) else { return nil }
        if let text = String(validatingCString: bytes) { return text }
        throw RuntimeFolderError(
            "the value of \(name) is not UTF-8, and so names no folder that all processes find: set it to a path in "
                + "UTF-8")
    }

    /// The working directory when the process first asked for it.
    private static let firstDirectory = FileManager.default.currentDirectoryPath

    /// Returns the absolute path: the same for all centers of a process, which may change its
    /// working directory between them.
    private static func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : firstDirectory + "/" + path
    }

    /// Opens a folder, or makes it, and checks that nobody else can have put anything there.
    private static func open(_ path: String) throws(RuntimeFolderError) -> Int32 {
        var (owner, mode): (UInt32, UInt32) = (0, 0)
        let folder = switchyard_folder_open(path, &owner, &mode)
        if [-EMFILE, -ENFILE].contains(folder) {
            throw RuntimeFolderError(
                "this process is out of file descriptors, and so can't open the folder \(path): raise "
                    + "the limit (ulimit -n)", isOutOfDescriptors: true)
        }
        if folder < 0 {
            let isLink = folder == -ELOOP || folder == -ENOTDIR
            throw unusable(
                path,
                isLink ? "it is no folder, or a symbolic link" : String(cString: strerror(-folder)))
        }
        if owner != geteuid() {
            close(folder)
            throw unusable(path, "it belongs to user \(owner), not to \(geteuid())")
        }
        if mode & 0o700 != 0o700 {
            close(folder)
            throw unusable(
                path,
                "its owner may not use it (mode \(String(mode, radix: 8))); chmod 700 it")
        }
        if mode & 0o077 != 0 {
            close(folder)
            throw unusable(
                path,
                "others have access to it (mode \(String(mode, radix: 8))); if nobody has "
                    + "tampered with it, chmod 700 it")
        }
        return folder
    }

    private static func unusable(_ path: String, _ reason: String) -> RuntimeFolderError {
        RuntimeFolderError(
            "the folder \(path), in which processes find each other, can't be used: \(reason). "
                + "SWITCHYARD_RUNTIME_DIR names another place for it")
    }

    /// Returns the name of a domain's folder: letters, digits, `-`, `_`, and `.` except at the
    /// beginning, stand for themselves; other bytes become `%` and two hexadecimal digits.
    package static func fileName(of domain: String) throws(RuntimeFolderError) -> String {
        if domain.isEmpty {
            throw RuntimeFolderError("the domain's name is empty: write one, such as org.example")
        }
        let name = fileName(ofBytes: domain.utf8)
        if name.utf8.count > 200 {
            throw RuntimeFolderError(
                "the domain \"\(domain)\" is too long for a folder's name; shorten it")
        }
        return name
    }

    /// Returns any bytes as a name for a file, spelled as the name of a domain's folder is.
    package static func fileName(ofBytes bytes: some Sequence<UInt8>) -> String {
        var name = ""
        for byte in bytes {
            let isPlain =
                byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
                || byte == UInt8(ascii: ".") && !name.isEmpty
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
            name +=
                isPlain
                ? String(UnicodeScalar(byte)) : "%" + String(format: "%02X", Int(byte))
        }
        return name
    }
}

/// The reason why a domain's folder can't be used.
package struct RuntimeFolderError: Error, CustomStringConvertible {
    /// The problem, and what to do.
    package let description: String

    /// Whether the folder may be as it should, and the process can open no more files.
    package let isOutOfDescriptors: Bool

    init(_ description: String, isOutOfDescriptors: Bool = false) {
        self.description = description
        self.isOutOfDescriptors = isOutOfDescriptors
    }
}
