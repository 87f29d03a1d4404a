// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Migration

/// What a project of Xcode says of the sources around it.
struct XcodeProject {
    /// The end of the path of a project's file.
    static let file = ".xcodeproj/project.pbxproj"
    private static let setting = "SWIFT_VERSION = "

    /// The folder that holds the project, with a slash behind it; empty for the folder that was
    /// named.
    let root: String
    /// The language mode, where all of its configurations have the same.
    let languageMode: LanguageMode?

    init(_ source: SourceText) {
        root = source.path.split(separator: "/").dropLast(2).map { $0 + "/" }.joined()
        let text = String(decoding: source.contents, as: UTF8.self)
        let versions = text.split(separator: "\n").compactMap { line -> Substring? in
            guard let range = line.firstRange(of: Self.setting) else { return nil }
            return line[range.upperBound...].prefix { $0.isNumber }
        }
        languageMode =
            versions.isEmpty ? nil : versions.allSatisfy { $0 == "6" } ? .v6 : .v5
    }

    /// The project that holds the files of a folder: in the folder, or in the outermost below it.
    static func of(_ root: String, among projects: [XcodeProject]) -> XcodeProject? {
        projects.filter { $0.root.hasPrefix(root) }
            .min { $0.root.count < $1.root.count }
    }
}
