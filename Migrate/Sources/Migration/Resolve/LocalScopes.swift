// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwiftSyntax

/// Finds the declaration of a name in the bodies of functions.
struct LocalScopes {
    let name: String

    /// A variable whose type is not understood.
    func unclear(_ node: Syntax) -> VariableInfo {
        VariableInfo(name: name, annotation: nil, value: nil, node: node, isConstant: false)
    }

    private func constant(
        _ annotation: TypeSyntax?, _ value: ExprSyntax?, _ node: some SyntaxProtocol
    ) -> VariableInfo {
        VariableInfo(
            name: name, annotation: annotation, value: value, node: Syntax(node), isConstant: true)
    }

    /// The declaration of the name in a node, as one of its children sees it.
    func declared(in node: Syntax, before child: Syntax) -> VariableInfo? {
        if let list = node.as(CodeBlockItemListSyntax.self) {
            return declared(in: list, before: child)
        }
        if let function = node.as(FunctionDeclSyntax.self) {
            return parameter(of: function.signature.parameterClause)
        }
        if let initializer = node.as(InitializerDeclSyntax.self) {
            return parameter(of: initializer.signature.parameterClause)
        }
        if let subscription = node.as(SubscriptDeclSyntax.self) {
            return parameter(of: subscription.parameterClause)
        }
        if let closure = node.as(ClosureExprSyntax.self) { return declared(in: closure) }
        if let conditions = node.as(ConditionElementListSyntax.self) {
            return declared(in: conditions, before: child)
        }
        if let condition = node.as(IfExprSyntax.self), child.id == Syntax(condition.body).id {
            return declared(in: condition.conditions)
        }
        if let loop = node.as(WhileStmtSyntax.self), child.id == Syntax(loop.body).id {
            return declared(in: loop.conditions)
        }
        if let loop = node.as(ForStmtSyntax.self), binds(Syntax(loop.pattern)) {
            return unclear(node)
        }
        if let clause = node.as(CatchClauseSyntax.self),
            name == "error" || clause.catchItems.contains(where: { binds(Syntax($0)) })
        {
            return unclear(node)
        }
        if let branch = node.as(SwitchCaseSyntax.self), binds(Syntax(branch.label)) {
            return unclear(node)
        }
        if let accessor = node.as(AccessorDeclSyntax.self),
            ["newValue", "oldValue"].contains(name)
                || accessor.parameters?.name.text == name
        {
            return unclear(node)
        }
        return nil
    }

    private func declared(in list: CodeBlockItemListSyntax, before child: Syntax) -> VariableInfo? {
        // A declaration at the top level of a file is global.
        if list.parent?.is(SourceFileSyntax.self) == true { return nil }
        var found: VariableInfo?
        for item in list {
            if item.id == child.id { break }
            if let declaration = item.item.as(VariableDeclSyntax.self) {
                found = VariableInfo.all(in: declaration).first { $0.name == name } ?? found
                if declaration.bindings.contains(where: {
                    !$0.pattern.is(IdentifierPatternSyntax.self) && binds(Syntax($0.pattern))
                }) {
                    found = unclear(Syntax(declaration))
                }
            } else if let check = item.item.as(GuardStmtSyntax.self) {
                found = declared(in: check.conditions) ?? found
            }
        }
        return found
    }

    private func declared(
        in conditions: ConditionElementListSyntax, before child: Syntax? = nil
    ) -> VariableInfo? {
        // Later conditions see the bindings of earlier ones; the last binding counts.
        var conditions = Array(conditions)
        if let end = conditions.firstIndex(where: { $0.id == child?.id }) {
            conditions.removeSubrange(end...)
        }
        for condition in conditions.reversed() {
            switch condition.condition {
            case .optionalBinding(let binding):
                guard let pattern = binding.pattern.as(IdentifierPatternSyntax.self) else {
                    if binds(Syntax(binding.pattern)) { return unclear(Syntax(binding)) }
                    continue
                }
                guard pattern.identifier.text == name else { continue }
                if binding.initializer?.value.isOptionalCast == true {
                    return unclear(Syntax(binding))
                }
                var found = constant(
                    binding.typeAnnotation?.type, binding.initializer?.value, binding)
                found.isBinding = true
                return found
            case .matchingPattern(let pattern):
                if binds(Syntax(pattern.pattern)) { return unclear(Syntax(pattern)) }
            default: continue
            }
        }
        return nil
    }

    private func declared(in closure: ClosureExprSyntax) -> VariableInfo? {
        guard let signature = closure.signature else { return nil }
        switch signature.parameterClause {
        case .simpleInput(let names):
            if names.contains(where: { $0.name.text == name }) {
                var found = unclear(Syntax(closure))
                found.isGiven = names.count == 1
                return found
            }
        case .parameterClause(let clause):
            for parameter in clause.parameters
            where (parameter.secondName ?? parameter.firstName).text == name {
                return constant(parameter.type, nil, parameter)
            }
        case nil: break
        }
        for capture in signature.capture?.items ?? [] where capture.name.text == name {
            let isWeak = capture.specifier?.specifier.text == "weak"
            guard let value = capture.initializer?.value else {
                if isWeak { return unclear(Syntax(closure)) }
                continue
            }
            var found = constant(nil, value, closure)
            found.isWeak = isWeak
            return found
        }
        return nil
    }

    private func parameter(of clause: FunctionParameterClauseSyntax) -> VariableInfo? {
        for parameter in clause.parameters
        where (parameter.secondName ?? parameter.firstName).text == name {
            return parameter.ellipsis == nil
                ? constant(parameter.type, nil, parameter) : unclear(Syntax(parameter))
        }
        return nil
    }

    /// Whether a pattern declares the name.
    private func binds(_ pattern: Syntax) -> Bool {
        for token in pattern.tokens(viewMode: .sourceAccurate)
        where token.text == name && token.parent?.is(IdentifierPatternSyntax.self) == true {
            return true
        }
        return false
    }
}

extension ExprSyntax {
    /// Whether the expression ends in `as? Type`.
    var isOptionalCast: Bool {
        self.as(SequenceExprSyntax.self)?.elements.contains { $0.is(UnresolvedAsExprSyntax.self) }
            == true
    }
}
