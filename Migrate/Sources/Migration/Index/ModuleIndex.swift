// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwiftSyntax

/// The declarations of a module's files.
final class ModuleIndex {
    let files: [SourceFile]
    /// Whether code without another isolation belongs to the main actor.
    let isolatesToMain: Bool
    private(set) var types: [String: [TypeInfo]] = [:]
    private(set) var globals: [String: [VariableInfo]] = [:]
    private(set) var functions: [String: [FunctionDeclSyntax]] = [:]
    /// The types that aliases stand for, by the aliases' full names.
    private(set) var aliases: [String: [TypeSyntax]] = [:]
    /// Types marked `@globalActor`.
    private(set) var globalActors: Set<String> = []
    /// Types by the place of their declaration or extension.
    private var typesByNode: [SyntaxIdentifier: TypeInfo] = [:]
    private var extensions: [(ExtensionDeclSyntax, SourceFile)] = []
    private let filesByTree: [SyntaxIdentifier: SourceFile]
    /// Names that may stand for a center.
    private lazy var centerNames = CenterNames.all(in: files)

    init(files: [SourceFile], isolatesToMain: Bool) {
        self.files = files
        self.isolatesToMain = isolatesToMain
        filesByTree = Dictionary(uniqueKeysWithValues: files.map { (Syntax($0.tree).id, $0) })
        for file in files {
            let builder = IndexBuilder(file: file, index: self)
            builder.walk(file.tree)
        }
        for (node, file) in extensions { add(node, in: file) }
    }

    // MARK: - Building

    func add(_ type: TypeInfo, for node: some SyntaxProtocol) {
        types[type.name, default: []].append(type)
        typesByNode[Syntax(node).id] = type
    }

    func add(_ node: ExtensionDeclSyntax, foundIn file: SourceFile) {
        extensions.append((node, file))
    }
    func addGlobals(_ variables: [VariableInfo]) {
        for variable in variables { globals[variable.name, default: []].append(variable) }
    }
    func addGlobal(_ function: FunctionDeclSyntax) {
        functions[function.name.text, default: []].append(function)
    }
    func addAlias(_ name: String, for type: TypeSyntax) { aliases[name, default: []].append(type) }
    func addGlobalActor(_ name: String) { globalActors.insert(name) }

    private func add(_ node: ExtensionDeclSyntax, in file: SourceFile) {
        let name = node.extendedType.plainName
        let type =
            extendedType(name, in: file)
            ?? {
                let type = TypeInfo(name: name, kind: .outside, file: file, node: Syntax(node))
                types[name, default: []].append(type)
                return type
            }()
        typesByNode[Syntax(node).id] = type
        type.addedInheritance += node.inheritanceClause.names
        IndexBuilder.addMembers(
            node.memberBlock.members, to: type, in: file,
            extension: (
                IndexBuilder.isolation(node.attributes, node.modifiers), Access(node.modifiers)
            ))
    }

    // MARK: - Looking up

    /// The file of a node.
    func file(of node: some SyntaxProtocol) -> SourceFile? { filesByTree[node.root.id] }

    /// Whether an expression may be a center; if not, its type need not be looked for.
    func mayBeCenter(_ expression: ExprSyntax) -> Bool {
        CenterNames.names(in: expression).contains {
            $0 == "self" || $0 == "$0" || centerNames.contains($0)
        }
    }

    /// The type that a declaration or extension declares.
    func type(declaredBy node: some SyntaxProtocol) -> TypeInfo? { typesByNode[Syntax(node).id] }

    /// The type whose member a node is.
    func enclosingType(of node: some SyntaxProtocol) -> TypeInfo? {
        for ancestor in node.ancestors {
            if let type = typesByNode[ancestor.id] { return type }
        }
        return nil
    }

    /// The one type that a name means at a node; nil if the module has none or several.
    func type(named name: String, at node: some SyntaxProtocol, in file: SourceFile) -> TypeInfo? {
        // Two aliases may name each other, in different branches of `#if`.
        type(named: name, at: node, in: file, depth: 8)
    }

    private func type(
        named name: String, at node: some SyntaxProtocol, in file: SourceFile, depth: Int
    ) -> TypeInfo? {
        guard depth > 0 else { return nil }
        // An extension of `Outer.Inner` sees what `Inner` declares, and nothing of `Outer`. The
        // module in `extension Foundation.NotificationCenter` is no scope, either.
        let scopes = node.ancestors.compactMap { ancestor in
            typesByNode[ancestor.id].map { $0.name + "." }
        }
        for scope in scopes + [""] {
            let found = candidates(
                scope + name, in: file, at: node.positionAfterSkippingLeadingTrivia.utf8Offset)
            if found.count == 1 { return found[0] }
            if found.count > 1 { return Self.nearest(found, to: file) }
            if let alias = aliases[scope + name] {
                guard alias.count == 1, alias[0].plainName != name else { return nil }
                return type(named: alias[0].plainName, at: alias[0], in: file, depth: depth - 1)
            }
        }
        return nil
    }

    /// Types of a full name that a file can name; those of branches that Linux compiles, if there
    /// are any.
    private func candidates(_ name: String, in file: SourceFile, at offset: Int?) -> [TypeInfo] {
        let visible = (types[name] ?? []).filter { type in
            if let scope = type.scope {
                guard let offset, type.file === file else { return false }
                return scope.contains(offset)
            }
            return type.access > .fileprivate || type.file === file || type.name.contains(".")
        }
        let compiled = visible.filter { !$0.isLeftOut }
        return compiled.isEmpty ? visible : compiled
    }

    /// The type that an extension in a file extends.
    private func extendedType(_ name: String, in file: SourceFile) -> TypeInfo? {
        let found = candidates(name, in: file, at: nil)
        return Self.nearest(found, to: file) ?? found.first
    }

    /// The one of several types of a name whose file lies nearest to a file; nil if several are as
    /// near.
    ///
    /// Several modules are taken for one if no manifest says which files are a module. A name then
    /// means the type of the file's own module, and its files lie beside it.
    private static func nearest(_ types: [TypeInfo], to file: SourceFile) -> TypeInfo? {
        let distances = types.map { ($0, sharedFolders($0.file.path, file.path)) }
        guard let most = distances.map(\.1).max() else { return nil }
        let nearest = distances.filter { $0.1 == most }
        return nearest.count == 1 ? nearest[0].0 : nil
    }

    /// The number of folders that two paths begin with, and one more where they are the same file.
    private static func sharedFolders(_ first: String, _ second: String) -> Int {
        if first == second { return .max }
        return zip(
            first.split(separator: "/").dropLast(), second.split(separator: "/").dropLast()
        ).prefix { $0 == $1 }.count
    }

    /// Whether the module declares a type or alias of a name at its top level.
    func declares(_ name: String) -> Bool {
        types[name]?.contains { $0.kind != .outside } == true || aliases[name] != nil
    }

    /// The class before a class; nil where it is in another module, or is none.
    func superclass(of type: TypeInfo) -> TypeInfo? {
        guard type.kind == .class, let first = type.declaredInheritance.first else { return nil }
        guard let found = self.type(named: first, at: type.node, in: type.file),
            found.kind == .class, found !== type
        else { return nil }
        return found
    }

    /// A type and the classes before it, as far as the module declares them; last, a class of
    /// another module that this one extends.
    func chain(of type: TypeInfo) -> [TypeInfo] {
        var chain = [type]
        while let next = superclass(of: chain[chain.count - 1]),
            !chain.contains(where: { $0 === next })
        {
            chain.append(next)
        }
        if let last = chain.last, last.kind == .class, let name = last.declaredInheritance.first,
            let extended = types[name]?.first(where: { $0.kind == .outside })
        {
            chain.append(extended)
        }
        return chain
    }

    /// Whether a type is another one, inherits from it, or conforms to it, as far as the module
    /// says.
    func inherits(_ type: TypeInfo, from other: TypeInfo) -> Bool {
        let chain = chainWithFrameworks(of: type)
        guard other.kind == .protocol else { return chain.contains { $0 === other } }
        return type === other || chain.contains { conforms($0, to: other, depth: 8) }
    }

    /// The protocols of the module to which a type conforms.
    func protocols(of type: TypeInfo) -> [TypeInfo] {
        types.values.joined().filter { $0.kind == .protocol && inherits(type, from: $0) }
    }

    private func conforms(_ type: TypeInfo, to other: TypeInfo, depth: Int) -> Bool {
        depth > 0
            && type.inheritance.contains { name in
                guard let found = self.type(named: name, at: type.node, in: type.file),
                    found.kind == .protocol
                else { return false }
                return found === other || conforms(found, to: other, depth: depth - 1)
            }
    }

    /// The chain of a type, then classes of UIKit and AppKit before it that the module extends.
    func chainWithFrameworks(of type: TypeInfo) -> [TypeInfo] {
        let chain = chain(of: type)
        guard let last = chain.last, last.kind == .class || last.kind == .outside,
            let name = last.kind == .class ? last.declaredInheritance.first : last.name
        else { return chain }
        let extended = AppleAncestors.of(name).compactMap { ancestor in
            types[ancestor]?.first { $0.kind == .outside }
        }
        return chain + extended
    }

    /// Whether the classes before a type may have members that the module does not declare.
    func hasOutsideSuperclass(_ type: TypeInfo) -> Bool {
        guard let last = chain(of: type).last else { return false }
        if last.kind == .outside { return true }
        guard last.kind == .class, let first = last.declaredInheritance.first else { return false }
        return self.type(named: first, at: last.node, in: last.file)?.kind != .protocol
            && !Self.knownProtocols.contains(first)
    }

    /// Protocols of the standard library and of Foundation, which are no superclasses.
    static let knownProtocols: Set<String> = [
        "AnyObject", "Sendable", "@unchecked Sendable", "Codable", "Decodable", "Encodable",
        "Hashable", "Equatable", "Comparable", "Identifiable", "ObservableObject", "Sequence",
        "Collection", "Error", "LocalizedError", "CustomStringConvertible", "NSObjectProtocol",
        "NSCopying", "NSCoding", "Cancellable", "IteratorProtocol", "CustomDebugStringConvertible",
    ]
}

extension TypeSyntax {
    /// The type's name without attributes, generic arguments and parentheses, as `Outer.Inner`.
    var plainName: String {
        if let attributed = self.as(AttributedTypeSyntax.self) {
            return attributed.baseType.plainName
        }
        if let identifier = self.as(IdentifierTypeSyntax.self) { return identifier.name.text }
        if let member = self.as(MemberTypeSyntax.self) {
            return member.baseType.plainName + "." + member.name.text
        }
        if let some = self.as(SomeOrAnyTypeSyntax.self) { return some.constraint.plainName }
        return trimmedDescription
    }
}

extension InheritanceClauseSyntax? {
    /// The names after the colon.
    var names: [String] {
        self?.inheritedTypes.map { inherited in
            let isUnchecked = inherited.type.trimmedDescription.hasPrefix("@unchecked")
            return (isUnchecked ? "@unchecked " : "") + inherited.type.plainName
        } ?? []
    }
}
