// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwiftSyntax

/// Finds the type of `self` at a place.
struct SelfScope {
    let index: ModuleIndex

    /// The type of `self`: an instance, a type in a static method, an optional in a closure that
    /// captures it weakly and has not bound it again.
    func type(at node: some SyntaxProtocol) -> ValueType {
        guard let enclosing = index.enclosingType(of: node) else { return .unknown }
        var isOptional = false
        var isBound = false
        var child = Syntax(node)
        for ancestor in node.ancestors {
            if index.type(declaredBy: ancestor) != nil { break }
            if bindsSelf(ancestor, before: child) { isBound = true }
            if let closure = ancestor.as(ClosureExprSyntax.self) {
                for capture in closure.signature?.capture?.items ?? []
                where capture.name.text == "self" {
                    if capture.initializer != nil { return .unknown }
                    if capture.specifier?.specifier.text == "weak", !isBound { isOptional = true }
                }
            }
            if isStatic(ancestor) { return .metatype(enclosing) }
            child = ancestor
        }
        switch enclosing.kind {
        case .class, .outside: break
        case .actor, .value, .protocol: return .instance(enclosing)
        }
        return isOptional ? .optional(.instance(enclosing)) : .instance(enclosing)
    }

    private func isStatic(_ node: Syntax) -> Bool {
        guard let modified = node.asProtocol((any WithModifiersSyntax).self),
            node.is(FunctionDeclSyntax.self) || node.is(VariableDeclSyntax.self)
                || node.is(SubscriptDeclSyntax.self),
            node.parent?.is(MemberBlockItemSyntax.self) == true
        else { return false }
        return modified.modifiers.contains { ["static", "class"].contains($0.name.text) }
    }

    /// Whether a scope binds `self` again, as `guard let self` does.
    private func bindsSelf(_ node: Syntax, before child: Syntax) -> Bool {
        if let condition = node.as(IfExprSyntax.self), child.id == Syntax(condition.body).id {
            return bindsSelf(condition.conditions)
        }
        guard let list = node.as(CodeBlockItemListSyntax.self) else { return false }
        for item in list {
            if item.id == child.id { return false }
            if let check = item.item.as(GuardStmtSyntax.self), bindsSelf(check.conditions) {
                return true
            }
        }
        return false
    }

    private func bindsSelf(_ conditions: ConditionElementListSyntax) -> Bool {
        conditions.contains { element in
            guard case .optionalBinding(let binding) = element.condition,
                let pattern = binding.pattern.as(IdentifierPatternSyntax.self)
            else { return false }
            return pattern.identifier.text == "self" || pattern.identifier.text == "`self`"
        }
    }
}
