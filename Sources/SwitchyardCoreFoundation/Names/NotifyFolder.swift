// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if !canImport(Darwin)
internal import SwitchyardWire

/// The folder with a file for each name: `.notify` beside the folders of the domains.
struct NotifyFolder: Sendable {
    /// Switchyard's folder, worked out once: the working directory may change, and the session's
    /// folder may go when the user logs out.
    private static let base = Result { () throws(RuntimeFolderError) in try RuntimeFolder.base() }

    private let folder: RuntimeFolder

    init(_ folder: RuntimeFolder) { self.folder = folder }

    /// Opens the user's folder, or makes it. It may have gone since the last time.
    static func open() throws(NotifyError) -> NotifyFolder {
        do throws(RuntimeFolderError) {
            return NotifyFolder(try RuntimeFolder(base: try base.get(), name: ".notify"))
        } catch {
            throw .failed("\(error)")
        }
    }

    var descriptor: Int32 { folder.descriptor }

    /// Returns whether both are one folder, wherever it is now.
    func isSame(as other: NotifyFolder) -> Bool {
        let identity = FileIdentity(of: descriptor)
        return identity != nil && identity == FileIdentity(of: other.descriptor)
    }

    /// The path of a name's file.
    func path(of name: NotifyName) -> String { "\(folder.path)/\(name.fileName)" }
}
#endif
