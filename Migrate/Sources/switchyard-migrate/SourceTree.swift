// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import Migration

/// A file that can't be read or written.
struct FileProblem: Error, CustomStringConvertible {
    var path: String
    var reason: String

    var description: String { "\(path): \(reason)" }

    /// Names the file in the errors of a body.
    static func wrap<Value>(_ path: String, _ body: () throws -> Value) throws(FileProblem) -> Value
    {
        do {
            return try body()
        } catch {
            throw FileProblem(path: path, reason: error.localizedDescription)
        }
    }
}

/// The Swift sources of a folder, by the packages to which they belong.
struct SourceTree {
    private static let skipped: Set<String> = [
        "Pods", "Carthage", "Checkouts", "checkouts", "DerivedData", "node_modules",
    ]

    let folder: URL
    private(set) var packages: [SourcePackage] = []
    private(set) var findings: [Finding] = []
    /// Sources in Objective-C, and files of the interface builder.
    private(set) var others: [SourceText] = []
    private static let otherEndings = [".m", ".mm", ".xib", ".storyboard"]

    /// Reads a folder, or the folder to which a link leads. Links inside it are not followed.
    init(_ path: String) throws {
        folder = URL(fileURLWithPath: path, isDirectory: true).resolvingSymlinksInPath()
        var paths: [String] = []
        try Self.collect(folder, "", into: &paths)
        let manifests = paths.filter { $0 == "Package.swift" || $0.hasSuffix("/Package.swift") }
        var projects: [XcodeProject] = []
        for path in paths where path.hasSuffix(XcodeProject.file) {
            projects.append(XcodeProject(try read(path)))
        }
        var files: [String: [SourceText]] = [:]
        for path in paths where Self.otherEndings.contains(where: path.hasSuffix) {
            others.append(try read(path))
        }
        for path in paths where path.hasSuffix(".swift") {
            let name = path.split(separator: "/").last ?? ""
            if name == "Package.swift" || name.hasPrefix("Package@swift") { continue }
            files[Self.root(of: path, among: manifests), default: []].append(try read(path))
        }
        for (root, sources) in files.sorted(by: { $0.key < $1.key }) {
            let path = root + "Package.swift"
            let manifest = manifests.contains(path) ? try read(path) : nil
            packages.append(
                SourcePackage(
                    root: root, manifest: manifest, files: sources,
                    project: XcodeProject.of(root, among: projects)))
        }
    }

    private static func collect(_ folder: URL, _ prefix: String, into paths: inout [String]) throws
    {
        let keys: [URLResourceKey] = [.isDirectoryKey, .isRegularFileKey, .isSymbolicLinkKey]
        let contents = try FileProblem.wrap(folder.path) {
            try FileManager.default.contentsOfDirectory(
                at: folder, includingPropertiesForKeys: keys)
        }
        for url in contents.sorted(by: { $0.lastPathComponent < $1.lastPathComponent }) {
            let name = url.lastPathComponent
            if name.hasPrefix(".") { continue }
            let values = try FileProblem.wrap(url.path) {
                try url.resourceValues(forKeys: Set(keys))
            }
            if values.isSymbolicLink == true { continue }
            if values.isDirectory == true {
                if !skipped.contains(name) { try collect(url, prefix + name + "/", into: &paths) }
            } else if name.hasSuffix(".swift") || otherEndings.contains(where: name.hasSuffix)
                || (prefix + name).hasSuffix(XcodeProject.file)
            {
                paths.append(prefix + name)
            }
        }
    }

    /// The folder, with a slash, of the innermost manifest around a file.
    private static func root(of path: String, among manifests: [String]) -> String {
        manifests.map { String($0.dropLast("Package.swift".count)) }
            .filter { path.hasPrefix($0) }
            .max { $0.count < $1.count } ?? ""
    }

    private func read(_ path: String) throws -> SourceText {
        let data = try FileProblem.wrap(path) {
            try Data(contentsOf: folder.appendingPathComponent(path))
        }
        return SourceText(path: path, contents: Array(data))
    }

    /// Writes a file in one step, with the permissions that it had.
    func write(_ file: MigratedFile) throws {
        let url = folder.appendingPathComponent(file.path)
        let temporary = url.deletingLastPathComponent()
            .appendingPathComponent(".\(url.lastPathComponent).\(UUID().uuidString)")
        try FileProblem.wrap(file.path) {
            let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
            try Data(file.contents).write(to: temporary)
            if let permissions = attributes[.posixPermissions] {
                try FileManager.default.setAttributes(
                    [.posixPermissions: permissions], ofItemAtPath: temporary.path)
            }
        }
        guard rename(temporary.path, url.path) == 0 else {
            let reason = String(cString: strerror(errno))
            try? FileManager.default.removeItem(at: temporary)
            throw FileProblem(path: file.path, reason: reason)
        }
    }
}
