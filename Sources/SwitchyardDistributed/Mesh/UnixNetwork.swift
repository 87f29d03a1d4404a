// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
internal import Foundation

/// Unix sockets in a private folder, one for each member, named by random digits: a name is never
/// used again, so that whoever finds nobody behind it may remove it.
final class UnixNetwork: MeshNetwork {
    private let folder: RuntimeFolder

    init(domain: String) throws(MeshError) { folder = try RuntimeFolder(domain: domain) }

    /// Under this name a socket is bound before it listens: refused connections would look as if its
    /// process had died.
    private func hidden(_ address: String) -> String { "." + address }

    func listen(as address: String) throws -> Int32 {
        let listener = switchyard_socket_listen(
            folder.descriptor, folder.path, hidden(address))
        if listener < 0 { throw failure("can't listen in", listener) }
        return listener
    }

    func publish(_ address: String) throws {
        if renameat(folder.descriptor, hidden(address), folder.descriptor, address) != 0 {
            throw failure("can't show its socket in", -errno)
        }
    }

    func withdraw(_ address: String) { unlinkat(folder.descriptor, address, 0) }

    func addresses() throws -> [String] {
        // The folder's own descriptor keeps a position that all would share.
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

    /// Removes the hidden socket of a process that died before it could show it. One that is about to
    /// listen would be refused as well, so only what is old is touched; should it live nevertheless,
    /// it takes another name.
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

    func accept(from listener: Int32) -> Int32 { switchyard_socket_accept(listener) }

    func process(behind descriptor: Int32) throws(MeshError) -> Int32 {
        var (user, process): (UInt32, Int32) = (0, 0)
        let error = switchyard_socket_peer(descriptor, &user, &process)
        if error != 0 {
            throw MeshError("the kernel does not say who it is: \(MeshError.words(for: error))")
        }
        if user != geteuid() {
            throw MeshError(
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

    private func failure(_ what: String, _ error: Int32) -> MeshError {
        var advice = ""
        if error == -ENAMETOOLONG {
            advice =
                ": its path is too long for a socket; set SWITCHYARD_RUNTIME_DIR to a shorter one"
        } else if error == -EMFILE {
            advice = ": raise the limit of open files (ulimit -n)"
        }
        return MeshError(
            "this process \(what) \(folder.path): \(MeshError.words(for: error))\(advice)")
    }
}
