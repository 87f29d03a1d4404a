// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
internal import Foundation
@_spi(Engine) internal import SwitchyardCore
internal import SwitchyardWire

/// Unix sockets in a private folder, one for each member. Their names are random and never used
/// twice, so that anyone who finds no listener behind a name may remove it.
final class UnixNetwork: MeshNetwork {
    private struct Location {
        var folder: RuntimeFolder
        /// The device and inode of this member's socket; nil before it is published.
        var socket: switchyard_file?
    }

    private let current: Guarded<Location>

    init(domain: String) throws(DistributedCenterError) {
        try Self.check(domain: domain)
        do {
            current = Guarded(Location(folder: try RuntimeFolder(domain: domain)))
        } catch {
            throw DistributedCenterError(
                error.isOutOfDescriptors ? .outOfDescriptors : .runtimeFolder, error.description,
                cause: error)
        }
    }

    /// Checks whether a domain can have this name, without joining it.
    static func check(domain: String) throws(DistributedCenterError) {
        do {
            _ = try RuntimeFolder.fileName(of: domain)
        } catch {
            throw DistributedCenterError(.invalidDomain, error.description, cause: error)
        }
    }

    /// Uses a folder that was opened already. For tests.
    init(_ folder: RuntimeFolder) { current = Guarded(Location(folder: folder)) }

    private var folder: RuntimeFolder { current.withLock { $0.folder } }

    var location: String { folder.path }

    /// Returns the name under which a socket is bound before it listens. Under its public name,
    /// refused connections would look as if its process had died.
    private func hidden(_ address: String) -> String { "." + address }

    func listen(as address: String) throws -> Int32 {
        // A failed attempt may have left a socket there. No other member uses the name.
        unlink(folder.path + "/" + hidden(address))
        let listener = switchyard_socket_listen(
            folder.descriptor, folder.path, hidden(address))
        if listener < 0 { throw failure("can't listen in", listener) }
        return listener
    }

    func publish(_ address: String) throws {
        let folder = folder
        if renameat(folder.descriptor, hidden(address), folder.descriptor, address) != 0 {
            throw failure("can't publish its socket in", -errno)
        }
        var socket = switchyard_file()
        let isThere = switchyard_file_at(folder.path + "/" + address, &socket) == 0
        current.withLock { $0.socket = isThere ? socket : nil }
    }

    // A socket keeps the name under which it was bound, also after it was renamed.
    func process(listeningAs address: String) -> Int32 {
        SystemProcess.listening(at: hidden(address))
    }

    func isFound(as address: String) -> Bool {
        let (path, socket) = current.withLock { ($0.folder.path, $0.socket) }
        var found = switchyard_file()
        guard let socket, switchyard_file_at(path + "/" + address, &found) == 0 else {
            return false
        }
        return socket.device == found.device && socket.number == found.number
    }

    func returnToFolder() throws {
        let again = try folder.again()
        current.withLock { location in
            location.folder = again
            location.socket = nil
        }
    }

    func watch(_ address: String, with watch: Int32) -> Bool {
        let folder = folder
        let session = (folder.base as NSString).deletingLastPathComponent
        // The removal of the socket's name is an event of the socket. The folders are watched for
        // being moved, with the socket in them. Changes of other entries in these folders wake
        // nobody.
        let folders: [String] = [folder.path, folder.base, session]
        let isWatched =
            switchyard_watch_add_socket(watch, "\(folder.path)/\(address)") == 0
            && folders.allSatisfy { switchyard_watch_add_folder(watch, $0) == 0 }
        // A session's folder may be a file system of its own. It is unmounted in the end, which
        // only the folder above it shows.
        let above = (session as NSString).deletingLastPathComponent
        var (inner, outer) = (switchyard_file(), switchyard_file())
        if switchyard_file_at(session, &inner) == 0, switchyard_file_at(above, &outer) == 0,
            inner.device != outer.device
        {
            _ = switchyard_watch_add_removals(watch, above)
        }
        return isWatched
    }

    func withdraw(_ address: String) { unlinkat(folder.descriptor, address, 0) }

    func addresses() throws -> [String] {
        // `opendir` on the path has a reading position of its own. The folder's descriptor has one
        // that all readers would share.
        guard let list = opendir(folder.path) else { throw failure("can't read", -errno) }
        defer { closedir(list) }
        var found: [String] = []
        while let entry = readdir(list) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name.hasPrefix(".") {
                removeIfLeftOver(name)
            } else {
                found.append(name)
            }
        }
        return found
    }

    /// Removes the hidden socket of a process that died before it could publish it. A socket that
    /// is about to listen refuses connections as well, so only old ones are tried. Should the
    /// process live nevertheless, its attempt to publish fails.
    private func removeIfLeftOver(_ name: String) {
        guard name != ".", name != "..", switchyard_file_age(folder.descriptor, name) > 60 else {
            return
        }
        let connection = switchyard_socket_connect(folder.descriptor, folder.path, name)
        if connection >= 0 {
            close(connection)
        } else if connection == -ECONNREFUSED {
            unlinkat(folder.descriptor, name, 0)
        }
    }

    func connect(to address: String) -> Int32 {
        switchyard_socket_connect(folder.descriptor, folder.path, address)
    }

    func hasGone(_ address: String) -> Bool {
        let connection = connect(to: address)
        if connection >= 0 { close(connection) }
        return connection == -ECONNREFUSED || connection == -ENOENT
    }

    func accept(from listener: Int32) -> Int32 { switchyard_socket_accept(listener) }

    func process(behind descriptor: Int32) throws(DistributedCenterError) -> Int32 {
        var (user, process): (UInt32, Int32) = (0, 0)
        let error = switchyard_socket_peer(descriptor, &user, &process)
        if error != 0 {
            throw DistributedCenterError(
                .otherUser,
                "the kernel does not say who it is: \(DistributedCenterError.text(for: error))")
        }
        if user != geteuid() {
            throw DistributedCenterError(
                .otherUser,
                "process \(process) belongs to user \(user), and this one to \(geteuid()): only "
                    + "processes of one user hear each other")
        }
        return process
    }

    func send(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int {
        switchyard_socket_send(descriptor, bytes.baseAddress, bytes.count)
    }

    func receive(into bytes: UnsafeMutableRawBufferPointer, from descriptor: Int32) -> Int {
        switchyard_socket_receive(descriptor, bytes.baseAddress, bytes.count)
    }

    private func failure(_ what: String, _ error: Int32) -> DistributedCenterError {
        var advice = ""
        if error == -ENAMETOOLONG {
            advice =
                ": its path is too long for a socket; set SWITCHYARD_RUNTIME_DIR to a shorter one"
        } else if error == -EMFILE {
            advice = ": raise the limit of open files (ulimit -n)"
        }
        return DistributedCenterError(
            [-EMFILE, -ENFILE].contains(error) ? .outOfDescriptors : .runtimeFolder,
            "this process \(what) \(folder.path): \(DistributedCenterError.text(for: error))\(advice)"
        )
    }
}
