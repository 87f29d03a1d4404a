// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardWire

extension RuntimeFolder {
    /// Opens the folder with the sockets of the processes that can be inspected, or makes it. No
    /// domain's folder can have its name.
    static func forInspection() throws(RuntimeFolderError) -> RuntimeFolder {
        try RuntimeFolder(base: try base(), name: ".inspect")
    }
}
