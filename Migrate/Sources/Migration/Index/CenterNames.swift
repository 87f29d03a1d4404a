// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwiftSyntax

/// Finds the names in a module that may stand for a center: names whose declarations lead to a
/// center's class, over any number of other declarations.
///
/// The search finds too many names rather than too few. Expressions without these names need not be
/// resolved, which costs far more.
final class CenterNames: SyntaxVisitor {
    private static let classes: Set<String> = [
        "NotificationCenter", "DistributedNotificationCenter", "notificationCenter",
    ]
    /// Names by the names that their declarations mention.
    private var mentioning: [String: Set<String>] = [:]

    /// The names that the files declare.
    static func all(in files: [SourceFile]) -> Set<String> {
        let finder = CenterNames(viewMode: .sourceAccurate)
        for file in files { finder.walk(file.tree) }
        var names = classes
        var next = Array(classes)
        while let name = next.popLast() {
            for found in finder.mentioning[name] ?? [] where names.insert(found).inserted {
                next.append(found)
            }
        }
        return names
    }

    /// The names on which the type of an expression depends.
    static func names(in expression: ExprSyntax) -> [String] {
        if let reference = expression.as(DeclReferenceExprSyntax.self) {
            let name = reference.baseName.text.withoutBackticks
            // In an extension of the center's class, `default` alone is the default center.
            return name == "default" ? [name, "NotificationCenter"] : [name]
        }
        if let member = expression.as(MemberAccessExprSyntax.self) {
            let name = member.declName.baseName.text.withoutBackticks
            // The type of `NotificationCenter.default`, and of `Center.init`, depends on the class.
            guard ["default", "init", "self", "forType"].contains(name), let base = member.base
            else { return [name] }
            return [name] + names(in: base)
        }
        if let call = expression.as(FunctionCallExprSyntax.self) {
            return names(in: call.calledExpression)
        }
        if let chained = expression.as(OptionalChainingExprSyntax.self) {
            return names(in: chained.expression)
        }
        if let forced = expression.as(ForceUnwrapExprSyntax.self) {
            return names(in: forced.expression)
        }
        if let tuple = expression.as(TupleExprSyntax.self), tuple.elements.count == 1 {
            return tuple.elements.first.map { names(in: $0.expression) } ?? []
        }
        if let generic = expression.as(GenericSpecializationExprSyntax.self) {
            return names(in: generic.expression)
        }
        return []
    }

    private func add(_ name: String, type: TypeSyntax?, value: ExprSyntax?) {
        if let type {
            for token in type.tokens(viewMode: .sourceAccurate) {
                if case .identifier(let text) = token.tokenKind {
                    mentioning[text, default: []].insert(name)
                }
            }
        }
        if let value {
            for mentioned in Self.names(in: value) {
                mentioning[mentioned, default: []].insert(name)
            }
        }
    }

    // MARK: - Declarations

    override func visit(_ node: PatternBindingSyntax) -> SyntaxVisitorContinueKind {
        if let name = node.pattern.as(IdentifierPatternSyntax.self)?.identifier.text {
            add(
                name.withoutBackticks, type: node.typeAnnotation?.type,
                value: node.initializer?.value)
        }
        return .visitChildren
    }

    override func visit(_ node: OptionalBindingConditionSyntax) -> SyntaxVisitorContinueKind {
        if let name = node.pattern.as(IdentifierPatternSyntax.self)?.identifier.text {
            add(
                name.withoutBackticks, type: node.typeAnnotation?.type,
                value: node.initializer?.value)
        }
        return .visitChildren
    }

    override func visit(_ node: FunctionParameterSyntax) -> SyntaxVisitorContinueKind {
        let name = (node.secondName ?? node.firstName).text.withoutBackticks
        add(name, type: node.type, value: nil)
        return .visitChildren
    }

    override func visit(_ node: ClosureParameterSyntax) -> SyntaxVisitorContinueKind {
        let name = (node.secondName ?? node.firstName).text.withoutBackticks
        add(name, type: node.type, value: nil)
        return .visitChildren
    }

    override func visit(_ node: ClosureShorthandParameterSyntax) -> SyntaxVisitorContinueKind {
        let closure = node.ancestors.lazy.compactMap { $0.as(ClosureExprSyntax.self) }.first
        add(
            node.name.text.withoutBackticks, type: nil,
            value: closure.flatMap { CenterBlock.object(givenTo: $0) })
        return .visitChildren
    }

    override func visit(_ node: ClosureCaptureSyntax) -> SyntaxVisitorContinueKind {
        add(node.name.text.withoutBackticks, type: nil, value: node.initializer?.value)
        return .visitChildren
    }

    override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
        add(
            node.name.text.withoutBackticks, type: node.signature.returnClause?.type, value: nil)
        return .visitChildren
    }

    override func visit(_ node: TypeAliasDeclSyntax) -> SyntaxVisitorContinueKind {
        add(node.name.text.withoutBackticks, type: node.initializer.value, value: nil)
        return .visitChildren
    }

    override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind {
        for inherited in node.inheritanceClause?.inheritedTypes ?? [] {
            add(node.name.text.withoutBackticks, type: inherited.type, value: nil)
        }
        return .visitChildren
    }
}
