// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwiftSyntax

/// Finds the declarations of a file.
final class IndexBuilder: SyntaxVisitor {
    private let file: SourceFile
    private let index: ModuleIndex
    private var names: [String] = []

    init(file: SourceFile, index: ModuleIndex) {
        self.file = file
        self.index = index
        super.init(viewMode: .sourceAccurate)
    }

    // MARK: - Types

    override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind {
        enter(node, node.name.text, .class, isGeneric: node.genericParameterClause != nil)
    }
    override func visitPost(_ node: ClassDeclSyntax) { names.removeLast() }
    override func visit(_ node: ActorDeclSyntax) -> SyntaxVisitorContinueKind {
        enter(node, node.name.text, .actor, isGeneric: node.genericParameterClause != nil)
    }
    override func visitPost(_ node: ActorDeclSyntax) { names.removeLast() }
    override func visit(_ node: StructDeclSyntax) -> SyntaxVisitorContinueKind {
        enter(node, node.name.text, .value, isGeneric: node.genericParameterClause != nil)
    }
    override func visitPost(_ node: StructDeclSyntax) { names.removeLast() }
    override func visit(_ node: EnumDeclSyntax) -> SyntaxVisitorContinueKind {
        enter(node, node.name.text, .value, isGeneric: node.genericParameterClause != nil)
    }
    override func visitPost(_ node: EnumDeclSyntax) { names.removeLast() }
    override func visit(_ node: ProtocolDeclSyntax) -> SyntaxVisitorContinueKind {
        enter(node, node.name.text, .protocol, isGeneric: false)
    }
    override func visitPost(_ node: ProtocolDeclSyntax) { names.removeLast() }

    override func visit(_ node: ExtensionDeclSyntax) -> SyntaxVisitorContinueKind {
        index.add(node, foundIn: file)
        names.append(node.extendedType.plainName)
        return .visitChildren
    }
    override func visitPost(_ node: ExtensionDeclSyntax) { names.removeLast() }

    private func enter(
        _ node: some DeclGroupSyntax & WithModifiersSyntax, _ name: String, _ kind: TypeInfo.Kind,
        isGeneric: Bool
    ) -> SyntaxVisitorContinueKind {
        let scope = enclosingBody(of: node)
        names.append(name.withoutBackticks)
        // The full name of a type inside a function has the types inside that function alone.
        let full = scope.map { _ in localName(of: node, name) } ?? names.joined(separator: ".")
        let type = TypeInfo(name: full, kind: kind, file: file, node: Syntax(node))
        type.scope = scope
        type.declaredInheritance = node.inheritanceClause.names
        type.isolation = Self.isolation(node.attributes, node.modifiers)
        type.access = Access(node.modifiers) ?? .internal
        type.isGeneric = isGeneric
        let attributes = node.attributes.names
        type.isObjcMembers = attributes.contains("objcMembers")
        type.isObjc = attributes.contains("objc")
        if attributes.contains("globalActor") { index.addGlobalActor(name) }
        index.add(type, for: node)
        Self.addMembers(node.memberBlock.members, to: type, in: file, extension: nil)
        return .visitChildren
    }

    private func enclosingBody(of node: some SyntaxProtocol) -> Range<Int>? {
        node.ancestors.first { $0.is(CodeBlockSyntax.self) || $0.is(ClosureExprSyntax.self) }
            .map(\.range)
    }

    private func localName(of node: some SyntaxProtocol, _ name: String) -> String {
        var parts = [name]
        for ancestor in node.ancestors {
            if ancestor.is(CodeBlockSyntax.self) || ancestor.is(ClosureExprSyntax.self) { break }
            if let named = ancestor.asProtocol((any NamedDeclSyntax).self),
                ancestor.isProtocol((any DeclGroupSyntax).self)
            {
                parts.insert(named.name.text, at: 0)
            }
        }
        return parts.joined(separator: ".")
    }

    // MARK: - Aliases, variables, functions

    override func visit(_ node: TypeAliasDeclSyntax) -> SyntaxVisitorContinueKind {
        if enclosingBody(of: node) == nil {
            index.addAlias(
                (names + [node.name.text]).joined(separator: "."), for: node.initializer.value)
        }
        return .skipChildren
    }

    override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
        if names.isEmpty, enclosingBody(of: node) == nil {
            index.addGlobals(VariableInfo.all(in: node))
        }
        return .visitChildren
    }

    override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
        if names.isEmpty, enclosingBody(of: node) == nil { index.addGlobal(node) }
        return .visitChildren
    }

    // MARK: - Members

    /// Adds the members of a type, also those inside `#if`.
    static func addMembers(
        _ members: MemberBlockItemListSyntax, to type: TypeInfo, in file: SourceFile,
        extension context: (isolation: Isolation, access: Access?)?
    ) {
        for member in members {
            if let method = member.decl.as(FunctionDeclSyntax.self) {
                var isolation = isolation(method.attributes, method.modifiers)
                if isolation == .unspecified, let context { isolation = context.isolation }
                type.methods.append(
                    MethodInfo(
                        method, in: file, isInExtension: context != nil, isolation: isolation,
                        access: Access(method.modifiers) ?? context?.access ?? .internal))
            } else if let variable = member.decl.as(VariableDeclSyntax.self) {
                type.variables += VariableInfo.all(in: variable)
            } else if let initializer = member.decl.as(InitializerDeclSyntax.self) {
                if initializer.optionalMark != nil { type.failableInitializers.append(initializer) }
            } else if let condition = member.decl.as(IfConfigDeclSyntax.self) {
                for case .decls(let inner)? in condition.clauses.map(\.elements) {
                    addMembers(inner, to: type, in: file, extension: context)
                }
            }
        }
    }

    /// The isolation that attributes and modifiers name.
    static func isolation(
        _ attributes: AttributeListSyntax, _ modifiers: DeclModifierListSyntax
    ) -> Isolation {
        if modifiers.contains(where: { $0.name.text == "nonisolated" }) { return .nonisolated }
        for name in attributes.names {
            if name == "MainActor" || name == "Swift.MainActor" { return .mainActor }
            if name.hasSuffix("Actor") { return .other(name) }
        }
        return .unspecified
    }
}
