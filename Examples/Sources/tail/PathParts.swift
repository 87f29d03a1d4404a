// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// NSString's path methods trap on names of one character in Foundation 6.3.1 on Linux, so they are
// not used here.

/// A path, cut at its last slash.
struct PathParts {
    /// The folder that contains the file.
    let folder: String
    let name: String

    init(_ path: String) {
        guard let slash = path.lastIndex(of: "/") else {
            (folder, name) = (".", path)
            return
        }
        folder = slash == path.startIndex ? "/" : String(path[..<slash])
        name = String(path[path.index(after: slash)...])
    }
}
