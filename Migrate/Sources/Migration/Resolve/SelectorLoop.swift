// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwiftSyntax

/// A loop over a list: `for (name, selector) in list`, or `list.forEach { … }`.
struct SelectorLoop {
    /// The list.
    let sequence: ExprSyntax
    /// The names of the parts of an element, or the one name of the element.
    private let names: [String]
    /// Whether the names are those of parts.
    private let isSplit: Bool
    private let body: Syntax

    /// The loop that binds a name where it stands.
    init?(binding name: DeclReferenceExprSyntax, in work: FileWork) {
        if name.baseName.text.hasPrefix("$") {
            let closure = name.ancestors.lazy.compactMap { $0.as(ClosureExprSyntax.self) }.first
            self.init(closure)
            return
        }
        guard let node = work.resolver.variable(named: name.baseName.text, at: name)?.node else {
            return nil
        }
        if let loop = node.as(ForStmtSyntax.self) {
            self.init(loop)
        } else if node.is(ClosureParameterSyntax.self) {
            self.init(node.ancestors.lazy.compactMap { $0.as(ClosureExprSyntax.self) }.first)
        } else {
            self.init(node.as(ClosureExprSyntax.self))
        }
    }

    /// The loop that runs over a list.
    init?(over list: ExprSyntax) {
        if let loop = list.parent?.as(ForStmtSyntax.self), loop.sequence.id == list.id {
            self.init(loop)
        } else {
            let member = list.parent?.as(MemberAccessExprSyntax.self)
            self.init(member?.parent?.as(FunctionCallExprSyntax.self)?.trailingClosure)
        }
    }

    private init?(_ loop: ForStmtSyntax) {
        guard loop.whereClause == nil, loop.caseKeyword == nil else { return nil }
        if let name = loop.pattern.as(IdentifierPatternSyntax.self) {
            (names, isSplit) = ([name.identifier.text], false)
        } else if let parts = loop.pattern.as(TuplePatternSyntax.self) {
            (names, isSplit) = (parts.elements.map(\.pattern.trimmedDescription), true)
        } else {
            return nil
        }
        sequence = loop.sequence
        body = Syntax(loop.body)
    }

    /// The loop whose body `forEach` gets as a closure.
    private init?(_ closure: ClosureExprSyntax?) {
        guard let closure, let call = closure.parent?.as(FunctionCallExprSyntax.self),
            call.trailingClosure?.id == closure.id, call.arguments.isEmpty,
            let member = call.calledExpression.as(MemberAccessExprSyntax.self),
            member.declName.baseName.text == "forEach", let list = member.base
        else { return nil }
        sequence = list
        let body = Syntax(closure.statements)
        self.body = body
        switch closure.signature?.parameterClause {
        case .simpleInput(let parameters)?: names = parameters.map(\.name.text)
        case .parameterClause(let clause)?:
            guard clause.parameters.allSatisfy({ $0.type == nil && $0.secondName == nil }) else {
                return nil
            }
            names = clause.parameters.map(\.firstName.text)
        case nil:
            // A closure has as many parameters as the greatest number in it says.
            let count = (1..<10).last { !NameUses.of("$\($0)", in: body).isEmpty } ?? 0
            names = (0...count).map { "$\($0)" }
        }
        isSplit = names.count > 1
    }

    /// The place of a name, or of a member of the element that it means.
    func place(of name: String, _ member: String?, labels: [String]) -> SelectorList.Place? {
        guard let index = names.firstIndex(of: name), !isSplit || member == nil else { return nil }
        guard !isSplit else { return .part(index) }
        guard let member else { return .whole }
        return (Int(member) ?? labels.firstIndex(of: member)).map { .part($0) }
    }

    /// The expressions that read a place of the element; nil if the whole is read where a part is
    /// meant.
    func uses(of place: SelectorList.Place, labels: [String]) -> [ExprSyntax]? {
        guard case .part(let index) = place else {
            return isSplit ? nil : NameUses.of(names[0], in: body).map { ExprSyntax($0) }
        }
        if isSplit {
            guard index < names.count else { return nil }
            return NameUses.of(names[index], in: body).map { ExprSyntax($0) }
        }
        var found: [ExprSyntax] = []
        for use in NameUses.of(names[0], in: body) {
            guard let member = use.parent?.as(MemberAccessExprSyntax.self),
                member.base?.id == ExprSyntax(use).id,
                let read = self.place(
                    of: names[0], member.declName.baseName.text, labels: labels)
            else { return nil }
            if read == place { found.append(ExprSyntax(member)) }
        }
        return found
    }
}
