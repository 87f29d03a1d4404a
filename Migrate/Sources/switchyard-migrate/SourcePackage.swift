// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Migration

/// The sources around one `Package.swift`, or sources without one.
struct SourcePackage {
    /// The folder, with a slash behind it; empty for the folder that was named.
    let root: String
    let manifest: SourceText?
    let files: [SourceText]
    /// The project of Xcode around files that no target of the manifest has.
    private let project: XcodeProject?
    private let description: PackageManifest?
    private let modulesByName:
        [(name: String, target: PackageManifest.Target?, files: [SourceText])]

    init(
        root: String, manifest: SourceText?, files: [SourceText], project: XcodeProject? = nil
    ) {
        self.project = project
        self.root = root
        self.manifest = manifest
        self.files = files
        let description = manifest.map { PackageManifest($0) }
        self.description = description
        var modules: [(String, PackageManifest.Target?, [SourceText])] = []
        for file in files {
            let path = String(file.path.dropFirst(root.count))
            let target = description?.target(of: path)
            // All files are one module without a manifest. Files outside of targets go by folder.
            let name = target?.name ?? (description == nil ? "" : Self.folder(of: path))
            if let index = modules.firstIndex(where: { $0.0 == name }) {
                modules[index].2.append(file)
            } else {
                modules.append((name, target, [file]))
            }
        }
        modulesByName = modules
    }

    private static func folder(of path: String) -> String {
        path.split(separator: "/").dropLast().prefix(2).joined(separator: "/") + "/"
    }

    func modules(languageMode: LanguageMode?) -> [ModuleSources] {
        modulesByName.map { module in
            ModuleSources(
                name: module.name,
                languageMode: languageMode ?? module.target?.languageMode
                    ?? (module.target == nil ? project?.languageMode : nil)
                        ?? description?.languageMode ?? .v5,
                isolatesToMain: module.target?.isolatesToMain ?? false,
                isWholeProgram: root.isEmpty && manifest == nil, files: module.files)
        }
    }

    /// Reports, or writes, the additions that the manifest needs after a migration.
    func completeManifest(of migration: inout Migration, dependency: String, edits: Bool) {
        guard let manifest else { return }
        var needs: Set<ManifestEditor.Need> = []
        for module in modulesByName {
            guard let target = module.target else { continue }
            let files = module.files.map { file in
                migration.files.first { $0.path == file.path }
                    .map { SourceText(path: $0.path, contents: $0.contents) } ?? file
            }
            needs.formUnion(Migrator.needs(files, ofTarget: target.name))
        }
        guard !needs.isEmpty else { return }
        let lines = Dictionary(grouping: needs.sorted(), by: \.target).sorted { $0.key < $1.key }
            .map { "`\($0.key)` needs " + $0.value.map { "`\($0.line)`" }.joined(separator: ", ") }
        let text = "the package needs `\(dependency)`; " + lines.joined(separator: "; ")
        var finding = Finding(
            file: manifest.path, line: 1, column: 1, kind: .left, code: .manifest, message: text)
        switch ManifestEditor(dependency: dependency).edit(manifest, for: Array(needs)) {
        case .success(nil): return
        case .success(let file?) where edits:
            migration.files.append(file)
            finding.kind = .changed
        case .success: break
        case .failure(let problem):
            if edits { finding.message += ". It was not edited, because \(problem.message)" }
        }
        migration.findings.append(finding)
        migration.findings.sort()
    }
}
