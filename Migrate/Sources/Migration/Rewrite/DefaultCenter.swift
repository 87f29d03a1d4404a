// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwiftSyntax

/// Tells whether an expression can only be the default center.
struct DefaultCenter {
    private static let spelled = "NotificationCenter.default"
    private let work: FileWork

    init(in work: FileWork) { self.work = work }

    /// The edit that makes `NotificationCenter.default`, or a constant that is it, Foundation's
    /// default center.
    func toFoundation(_ expression: ExprSyntax) -> (edit: Edit, isConstant: Bool)? {
        if let member = expression.as(MemberAccessExprSyntax.self),
            let name = member.base?.as(DeclReferenceExprSyntax.self)?.baseName,
            name.text == "NotificationCenter", member.declName.baseName.text == "default"
        {
            let start = name.range.lowerBound
            return (Edit(range: start..<start, text: "Foundation."), false)
        }
        guard let variable = variable(expression), isDefault(variable) else { return nil }
        return (Edit(range: expression.range, text: "Foundation." + Self.spelled), true)
    }

    private func variable(_ expression: ExprSyntax) -> VariableInfo? {
        if let reference = expression.as(DeclReferenceExprSyntax.self) {
            return work.resolver.variable(named: reference.baseName.text, at: reference)
        }
        guard let member = expression.as(MemberAccessExprSyntax.self), let base = member.base,
            case .instance(let type) = work.resolver.type(of: base)
        else { return nil }
        let found = work.module.chain(of: type).flatMap(\.variables).filter {
            $0.name == member.declName.baseName.text
        }
        return found.count == 1 ? found[0] : nil
    }

    /// Whether a constant is declared, or in all initialisers set, to the default center.
    private func isDefault(_ variable: VariableInfo) -> Bool {
        guard variable.isConstant, !variable.isBinding, !variable.isWeak,
            variable.annotation.map({ $0.trimmedDescription == "NotificationCenter" }) ?? true
        else { return false }
        if let value = variable.value { return value.trimmedDescription == Self.spelled }
        guard let type = work.module.enclosingType(of: variable.node), type.kind == .class,
            variable.node.is(PatternBindingSyntax.self),
            Syntax(type.file.tree).id == variable.node.root.id
        else { return false }
        let values = NameUses.of(variable.name, in: type.node).compactMap(value)
        return !values.isEmpty
            && values.allSatisfy { [Self.spelled, ".default"].contains($0.trimmedDescription) }
    }

    /// The value that a statement gives to the constant, as `name` or as `self.name`.
    private func value(assignedTo reference: DeclReferenceExprSyntax) -> ExprSyntax? {
        guard let member = reference.parent?.as(MemberAccessExprSyntax.self),
            member.declName.id == reference.id
        else { return ExprSyntax(reference).assignedValue }
        return member.base?.trimmedDescription == "self" ? ExprSyntax(member).assignedValue : nil
    }
}
