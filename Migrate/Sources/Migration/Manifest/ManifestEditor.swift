// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwiftSyntax

/// Adds Switchyard to a manifest whose lists are literals.
public struct ManifestEditor {
    /// A product that a target needs.
    public struct Need: Hashable, Comparable, Sendable {
        /// The target's name.
        public var target: String
        /// The product, such as `Switchyard`.
        public var product: String

        /// A product for a target.
        public init(target: String, product: String) {
            self.target = target
            self.product = product
        }

        /// Orders needs by target, then product.
        public static func < (first: Need, second: Need) -> Bool {
            (first.target, first.product) < (second.target, second.product)
        }

        /// The line for the target's dependencies.
        public var line: String {
            let package = product.hasPrefix("OpenCombine") ? "OpenCombine" : "switchyard"
            return ".product(name: \"\(product)\", package: \"\(package)\")"
        }
    }

    /// The package's dependency, as it is written in a manifest.
    public var dependency: String

    /// Writes a dependency as it is given.
    public init(dependency: String) { self.dependency = dependency }

    /// The manifest with the dependency and the products that are missing, nil if none is; a
    /// message about the first thing that is not simple enough to be edited.
    public func edit(
        _ source: SourceText, for needs: [Need]
    ) -> Result<MigratedFile?, ManifestProblem> {
        do throws(ManifestProblem) {
            return .success(try edited(source, for: needs))
        } catch {
            return .failure(error)
        }
    }

    private func edited(
        _ source: SourceText, for needs: [Need]
    ) throws(ManifestProblem) -> MigratedFile? {
        guard let file = SourceFile(path: source.path, contents: source.contents),
            !file.hasSyntaxError
        else { throw ManifestProblem("the manifest can't be read") }
        let reader = ManifestReader(file)
        reader.walk(file.tree)
        // OpenCombine itself, and targets that depend on it already, need nothing more of it.
        let needs = needs.filter { need in
            let call = reader.call(ofTarget: need.target)
            return call?.trimmedDescription.contains("\"\(need.product)\"") != true
        }
        if needs.contains(where: { $0.product.hasPrefix("OpenCombine") }) {
            throw ManifestProblem(
                "OpenCombine is a dependency of its own, and Switchyard's trait `OpenCombine` has to be on: `traits: [\"OpenCombine\"]`"
            )
        }
        var edits: [Edit] = []
        if !needs.isEmpty, !reader.packageNames.contains("switchyard"),
            // A target that has a product already shows that the dependency is there in some form.
            !file.text(0..<file.bytes.count).contains("\"switchyard\"")
        {
            edits.append(try packageEdit(reader, file))
        }
        let byTarget = Dictionary(grouping: needs, by: \.target).sorted { $0.key < $1.key }
        for (target, needs) in byTarget {
            if let edit = try targetEdit(target, needs, reader, file) { edits.append(edit) }
        }
        guard !edits.isEmpty else { return nil }
        let diff = UnifiedDiff(file: file, edits: edits)
        return MigratedFile(
            path: file.path, contents: file.applying(edits), diff: diff.text(),
            addedLines: diff.count().added, removedLines: diff.count().removed)
    }

    /// Adds the dependency to the package.
    private func packageEdit(
        _ reader: ManifestReader, _ file: SourceFile
    ) throws(ManifestProblem) -> Edit {
        guard let package = reader.package else {
            throw ManifestProblem("there is no `Package(…)`")
        }
        if let list = reader.dependencies { return element(dependency, of: list, in: file) }
        if package.arguments.contains(where: { $0.label?.text == "dependencies" }) {
            throw ManifestProblem("the dependencies are no list of literals")
        }
        guard let edit = argument("dependencies", dependency, before: "targets", of: package, file)
        else { throw ManifestProblem("`Package(…)` has no `targets:`") }
        return edit
    }

    /// Adds the products that a target lacks.
    private func targetEdit(
        _ target: String, _ needs: [Need], _ reader: ManifestReader, _ file: SourceFile
    ) throws(ManifestProblem) -> Edit? {
        guard let call = reader.call(ofTarget: target) else {
            throw ManifestProblem("there is no literal target `\(target)`")
        }
        let missing = needs.sorted().filter {
            !call.trimmedDescription.contains("\"\($0.product)\"")
        }
        guard !missing.isEmpty else { return nil }
        let lines = missing.map(\.line).joined(separator: ", ")
        let written = call.arguments.first { $0.label?.text == "dependencies" }
        if let list = written?.expression.as(ArrayExprSyntax.self) {
            return element(lines, of: list, in: file)
        }
        guard written == nil, let name = call.arguments.first(where: { $0.label?.text == "name" })
        else { throw ManifestProblem("the dependencies of `\(target)` are no list of literals") }
        let end = name.expression.range.upperBound
        return Edit(range: end..<end, text: ", dependencies: [\(lines)]")
    }

    private func element(_ text: String, of list: ArrayExprSyntax, in file: SourceFile) -> Edit {
        guard let last = list.elements.last else {
            let at = list.leftSquare.range.upperBound
            return Edit(range: at..<at, text: text)
        }
        let isOnOwnLine = file.isFirstOnLine(last.range.lowerBound)
        let separator =
            isOnOwnLine ? file.newline + file.indentation(at: last.range.lowerBound) : " "
        if let comma = last.trailingComma {
            let at = comma.range.upperBound
            return Edit(range: at..<at, text: separator + text + ",")
        }
        let at = last.expression.range.upperBound
        return Edit(range: at..<at, text: "," + separator + text)
    }

    private func argument(
        _ label: String, _ text: String, before next: String, of call: FunctionCallExprSyntax,
        _ file: SourceFile
    ) -> Edit? {
        guard let argument = call.arguments.first(where: { $0.label?.text == next }) else {
            return nil
        }
        let at = argument.range.lowerBound
        let separator = file.isFirstOnLine(at) ? file.newline + file.indentation(at: at) : " "
        return Edit(range: at..<at, text: "\(label): [\(text)],\(separator)")
    }
}

/// The reason for which a manifest was not edited.
public struct ManifestProblem: Error, Sendable {
    /// The problem in plain words.
    public var message: String
    init(_ message: String) { self.message = message }
}

extension Migrator {
    /// The products that targets need after a migration: the products whose modules their files
    /// import.
    public static func needs(
        _ files: [SourceText], ofTarget target: String
    ) -> Set<ManifestEditor.Need> {
        var needs: Set<ManifestEditor.Need> = []
        let products: Set = [
            "Switchyard", "SwitchyardDistributed", "SwitchyardOpenCombine", "OpenCombine",
            "OpenCombineDispatch", "OpenCombineFoundation",
        ]
        guard files.contains(where: { $0.imports(productPrefix: "Switchyard") }) else { return [] }
        for source in files {
            guard let file = SourceFile(path: source.path, contents: source.contents) else {
                continue
            }
            for found in ImportFinder.all(in: file.tree) where products.contains(found.module) {
                needs.insert(ManifestEditor.Need(target: target, product: found.module))
            }
        }
        return needs
    }
}

extension SourceText {
    /// Whether the file imports a module whose name begins so.
    fileprivate func imports(productPrefix: String) -> Bool {
        guard let file = SourceFile(path: path, contents: contents) else { return false }
        return ImportFinder.all(in: file.tree).contains { $0.module.hasPrefix(productPrefix) }
    }
}
