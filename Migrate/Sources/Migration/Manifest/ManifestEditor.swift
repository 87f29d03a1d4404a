// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwiftSyntax

/// Adds Switchyard to a manifest whose lists are literals.
public struct ManifestEditor {
    /// What a target needs.
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

        /// By target, then product.
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

    /// The manifest with the dependency and the products that are missing; a message about the first
    /// thing that is not simple enough to be edited.
    public func edit(_ source: SourceText, for needs: [Need]) -> Result<MigratedFile?, ManifestProblem> {
        guard let file = SourceFile(path: source.path, contents: source.contents), !file.hasSyntaxError
        else { return .failure(ManifestProblem("the manifest can't be read")) }
        let reader = ManifestReader(file)
        reader.walk(file.tree)
        guard let package = reader.package else {
            return .failure(ManifestProblem("there is no `Package(…)`"))
        }
        if needs.contains(where: { $0.product.hasPrefix("OpenCombine") }) {
            return .failure(
                ManifestProblem(
                    "OpenCombine is a dependency of its own, and Switchyard's trait `OpenCombine` has to be on: `traits: [\"OpenCombine\"]`"
                ))
        }
        var edits: [Edit] = []
        if !file.text(0..<file.bytes.count).contains("\"switchyard\"") {
            if let list = reader.dependencies {
                edits.append(element(dependency, of: list, in: file))
            } else if package.arguments.contains(where: { $0.label?.text == "dependencies" }) {
                return .failure(ManifestProblem("the dependencies are no list of literals"))
            } else if let edit = argument("dependencies", dependency, before: "targets", of: package, file) {
                edits.append(edit)
            } else {
                return .failure(ManifestProblem("`Package(…)` has no `targets:`"))
            }
        }
        for (target, needs) in Dictionary(grouping: needs, by: \.target).sorted(by: { $0.key < $1.key }) {
            guard let call = reader.targetCalls.first(where: { $0.name == target })?.call else {
                return .failure(ManifestProblem("there is no literal target `\(target)`"))
            }
            let missing = needs.sorted().filter { !call.trimmedDescription.contains("\"\($0.product)\"") }
            guard !missing.isEmpty else { continue }
            let lines = missing.map(\.line).joined(separator: ", ")
            let written = call.arguments.first { $0.label?.text == "dependencies" }
            if let list = written?.expression.as(ArrayExprSyntax.self) {
                edits.append(element(lines, of: list, in: file))
            } else if written == nil, let name = call.arguments.first(where: { $0.label?.text == "name" }) {
                let end = name.expression.range.upperBound
                edits.append(Edit(range: end..<end, text: ", dependencies: [\(lines)]"))
            } else {
                return .failure(
                    ManifestProblem("the dependencies of `\(target)` are no list of literals"))
            }
        }
        guard !edits.isEmpty else { return .success(nil) }
        let diff = UnifiedDiff(file: file, edits: edits)
        return .success(
            MigratedFile(
                path: file.path, contents: file.applying(edits), diff: diff.text(),
                addedLines: diff.count().added, removedLines: diff.count().removed))
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
        guard let argument = call.arguments.first(where: { $0.label?.text == next }) else { return nil }
        let at = argument.range.lowerBound
        let separator = file.isFirstOnLine(at) ? file.newline + file.indentation(at: at) : " "
        return Edit(range: at..<at, text: "\(label): [\(text)],\(separator)")
    }
}

/// Why a manifest was not edited.
public struct ManifestProblem: Error, Sendable {
    /// What it is, in plain words.
    public var message: String
    init(_ message: String) { self.message = message }
}

extension Migrator {
    /// The products that targets need after a migration: those whose modules their files import.
    public static func needs(_ files: [SourceText], ofTarget target: String) -> Set<ManifestEditor.Need> {
        var needs: Set<ManifestEditor.Need> = []
        let products: Set = [
            "Switchyard", "SwitchyardDistributed", "SwitchyardOpenCombine", "OpenCombine",
            "OpenCombineDispatch", "OpenCombineFoundation",
        ]
        guard files.contains(where: { $0.imports(productPrefix: "Switchyard") }) else { return [] }
        for source in files {
            guard let file = SourceFile(path: source.path, contents: source.contents) else { continue }
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
