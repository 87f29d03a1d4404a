// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwiftSyntax

/// A `Package.swift`, read without running it: what it says in literals.
public struct PackageManifest: Sendable {
    /// A target that the manifest lists.
    public struct Target: Sendable, Equatable {
        /// The target's name.
        public var name: String
        /// The target's folder, if the manifest names one.
        public var path: String?
        /// Whether it is one of tests.
        public var isTest: Bool
        /// The target's language mode.
        public var languageMode: LanguageMode
        /// Whether it is isolated to the main actor by default.
        public var isolatesToMain: Bool
    }

    /// The targets in their order.
    public var targets: [Target]
    /// The language mode of files that belong to no target.
    public var languageMode: LanguageMode

    /// Reads a manifest. What is computed, and not written as a literal, is not seen.
    public init(_ source: SourceText) {
        guard let file = SourceFile(path: source.path, contents: source.contents) else {
            self.init(targets: [], languageMode: .v5)
            return
        }
        let reader = ManifestReader(file)
        reader.walk(file.tree)
        self.init(targets: reader.finishedTargets, languageMode: reader.languageMode)
    }

    private init(targets: [Target], languageMode: LanguageMode) {
        self.targets = targets
        self.languageMode = languageMode
    }

    /// The target to which a file belongs, by its path from the manifest's folder.
    public func target(of path: String) -> Target? {
        targets.filter { target in
            folders(of: target).contains { path.hasPrefix($0 + "/") || $0 == "." }
        }.max { ($0.path ?? $0.name).count < ($1.path ?? $1.name).count }
    }

    private func folders(of target: Target) -> [String] {
        if let path = target.path {
            var path = path
            while path.hasPrefix("./") { path.removeFirst(2) }
            while path.hasSuffix("/") { path.removeLast() }
            return [path.isEmpty ? "." : path]
        }
        let roots = target.isTest ? ["Tests", "Sources"] : ["Sources", "Source", "src", "srcs"]
        return roots.map { $0 + "/" + target.name }
    }
}

/// Reads the calls in a manifest.
final class ManifestReader: SyntaxVisitor {
    /// A call that declares a target, or looks like one.
    private struct FoundTarget {
        var target: PackageManifest.Target
        var mode: LanguageMode?
        var call: FunctionCallExprSyntax
        /// Whether the call stands in the package's list.
        var isListed: Bool
    }

    private(set) var languageMode = LanguageMode.v5
    /// The dependencies' list, for edits.
    private(set) var dependencies: ArrayExprSyntax?
    private(set) var package: FunctionCallExprSyntax?
    /// The names of the packages that the manifest depends on, in lower case.
    private(set) var packageNames: Set<String> = []
    private var found: [FoundTarget] = []
    /// Modes and isolation that a loop over all targets sets.
    private var isolatesAll = false
    private var modeOfAll: LanguageMode?

    init(_ file: SourceFile) {
        super.init(viewMode: .sourceAccurate)
        let header = file.text(0..<min(file.bytes.count, 200)).split(whereSeparator: \.isNewline)
            .first
        let version = header?.split(separator: ":").last?.filter { $0.isNumber || $0 == "." } ?? ""
        if let major = version.split(separator: ".").first.flatMap({ Int($0) }), major >= 6 {
            languageMode = .v6
        }
    }

    var finishedTargets: [PackageManifest.Target] {
        targets.map { found in
            var target = found.target
            target.languageMode = found.mode ?? modeOfAll ?? languageMode
            target.isolatesToMain = target.isolatesToMain || isolatesAll
            return target
        }
    }

    /// The call that declares a target, for edits.
    func call(ofTarget name: String) -> FunctionCallExprSyntax? {
        targets.first { $0.target.name == name }?.call
    }

    /// The targets; of several of one name, those in the package's list, if there are any. The
    /// others may be dependencies on them.
    private var targets: [FoundTarget] {
        let listed = Set(found.filter(\.isListed).map(\.target.name))
        return found.filter { $0.isListed || !listed.contains($0.target.name) }
    }

    override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
        switch node.calledExpression.calleeName {
        case "Package" where package == nil:
            package = node
            read(package: node)
        case "target", "executableTarget", "testTarget", "macro": read(target: node)
        case "package": addPackage(node)
        case "swiftLanguageMode", "swiftLanguageVersion":
            if !isInTarget(node) { modeOfAll = mode(node.arguments.first?.expression) ?? modeOfAll }
        case "defaultIsolation":
            if !isInTarget(node), node.isMainIsolation { isolatesAll = true }
        default: break
        }
        return .visitChildren
    }

    private func isInTarget(_ node: some SyntaxProtocol) -> Bool {
        node.ancestors.contains {
            ["target", "executableTarget", "testTarget", "macro"]
                .contains($0.as(FunctionCallExprSyntax.self)?.calledExpression.calleeName ?? "")
        }
    }

    private func read(package node: FunctionCallExprSyntax) {
        for argument in node.arguments {
            switch argument.label?.text {
            case "dependencies": dependencies = argument.expression.as(ArrayExprSyntax.self)
            case "swiftLanguageModes", "swiftLanguageVersions":
                let modes = argument.expression.as(ArrayExprSyntax.self)?.elements
                    .compactMap { mode($0.expression) }
                // The newest one that the compiler knows is used.
                if let modes, !modes.isEmpty { languageMode = modes.contains(.v6) ? .v6 : .v5 }
            default: break
            }
        }
    }

    private func read(target node: FunctionCallExprSyntax) {
        guard node.calledExpression.is(MemberAccessExprSyntax.self), !isDependency(node),
            let name = node.literal("name")
        else { return }
        let finder = SettingFinder(viewMode: .sourceAccurate)
        finder.walk(node)
        let target = PackageManifest.Target(
            name: name, path: node.literal("path"),
            isTest: node.calledExpression.calleeName == "testTarget", languageMode: .v5,
            isolatesToMain: finder.isolatesToMain)
        found.append(
            FoundTarget(
                target: target, mode: finder.mode.flatMap { mode($0) }, call: node,
                isListed: isArgument(node, "targets")))
    }

    /// Whether `.target(name:)` is a dependency on a target: inside a target's dependencies, or in
    /// a variable or function of them.
    private func isDependency(_ node: FunctionCallExprSyntax) -> Bool {
        if isArgument(node, "dependencies") { return true }
        let base = node.calledExpression.as(MemberAccessExprSyntax.self)?.base
        if base?.trimmedDescription.hasSuffix("Dependency") == true { return true }
        return node.ancestors.contains { ancestor in
            let type =
                ancestor.as(PatternBindingSyntax.self)?.typeAnnotation?.type
                ?? ancestor.as(FunctionDeclSyntax.self)?.signature.returnClause?.type
            return type?.trimmedDescription.contains("Dependency") == true
        }
    }

    /// Whether a node stands in an argument with a label.
    private func isArgument(_ node: some SyntaxProtocol, _ label: String) -> Bool {
        node.ancestors.contains { $0.as(LabeledExprSyntax.self)?.label?.text == label }
    }

    /// Notes the names by which targets may call a package: that of its folder or repository, and
    /// the one that the manifest gives it.
    private func addPackage(_ node: FunctionCallExprSyntax) {
        let places = [node.literal("url"), node.literal("path")].compactMap { place in
            place?.split(whereSeparator: { $0 == "/" || $0 == ":" }).last.map(String.init)
        }
        for name in places.map({ $0.lowercased() }) {
            packageNames.insert(name.hasSuffix(".git") ? String(name.dropLast(4)) : name)
        }
        if let name = node.literal("name") { packageNames.insert(name.lowercased()) }
    }

    private func mode(_ expression: ExprSyntax?) -> LanguageMode? {
        guard let text = expression?.trimmedDescription else { return nil }
        if text.contains("6") { return .v6 }
        return text.contains("5") || text.contains("4") ? .v5 : nil
    }
}

/// Finds settings of the compiler in a target.
private final class SettingFinder: SyntaxVisitor {
    var mode: ExprSyntax?
    var isolatesToMain = false

    override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
        switch node.calledExpression.calleeName {
        case "swiftLanguageMode", "swiftLanguageVersion": mode = node.arguments.first?.expression
        case "defaultIsolation": isolatesToMain = isolatesToMain || node.isMainIsolation
        default: break
        }
        return .visitChildren
    }
}

extension FunctionCallExprSyntax {
    fileprivate var isMainIsolation: Bool {
        arguments.first?.expression.trimmedDescription.contains("MainActor") == true
    }

    /// The text of an argument that is a string literal.
    func literal(_ label: String) -> String? {
        guard let argument = arguments.first(where: { $0.label?.text == label }),
            let string = argument.expression.as(StringLiteralExprSyntax.self),
            string.segments.count == 1, case .stringSegment(let segment)? = string.segments.first
        else { return nil }
        return segment.content.text
    }
}
