// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwiftSyntax

/// A call that gives a center to a closure, as in `NotificationCenter.default.do {
/// $0.addObserver(…) }`.
///
/// Another module adds `do` to every object of Foundation's classes, which Switchyard's center is
/// not. The closure becomes the body of a `do` statement, and its parameter the center.
struct CenterBlock {
    /// Functions of which each calls its closure once, at once, with the object.
    static let names: Set<String> = ["do", "with", "then", "apply", "tap", "also", "configure"]

    private let call: FunctionCallExprSyntax
    private let closure: ClosureExprSyntax
    private let center: String
    private let parameters: [DeclReferenceExprSyntax]

    /// The call whose callee is a node; nil if it is none that can become a statement.
    init?(_ node: MemberAccessExprSyntax, of package: PackageIndex) {
        guard Self.names.contains(node.declName.baseName.text), let base = node.base,
            Self.isPath(base), !package.callsLater(node.declName.baseName.text),
            let call = node.parent?.as(FunctionCallExprSyntax.self),
            call.arguments.isEmpty, call.leftParen == nil,
            let closure = call.trailingClosure, call.additionalTrailingClosures.isEmpty,
            Self.isStatement(call)
        else { return nil }
        self.call = call
        self.closure = closure
        center = base.trimmedDescription
        let finder = BodyFinder(closure)
        guard !finder.hasObstacle else { return nil }
        parameters = finder.parameters
        if let signature = closure.signature {
            guard signature.capture == nil, signature.attributes.isEmpty,
                signature.returnClause == nil, signature.effectSpecifiers == nil,
                case .simpleInput(let names)? = signature.parameterClause, names.count == 1,
                Self.parameterName(closure) != "_"
            else { return nil }
        } else if parameters.isEmpty {
            return nil
        }
    }

    /// The closure's one parameter, where it has a name.
    static func parameterName(_ closure: ClosureExprSyntax) -> String? {
        guard case .simpleInput(let names)? = closure.signature?.parameterClause,
            names.count == 1
        else { return nil }
        return names.first?.name.text
    }

    /// The object that a call gives to a closure, where it is one of these functions.
    static func object(givenTo closure: ClosureExprSyntax) -> ExprSyntax? {
        guard let call = closure.parent?.as(FunctionCallExprSyntax.self),
            call.trailingClosure?.id == closure.id
        else { return nil }
        if let member = call.calledExpression.as(MemberAccessExprSyntax.self) {
            guard names.contains(member.declName.baseName.text), call.arguments.isEmpty else {
                return nil
            }
            return member.base
        }
        guard let function = call.calledExpression.as(DeclReferenceExprSyntax.self),
            names.contains(function.baseName.text), call.arguments.count == 1
        else { return nil }
        return call.arguments.first?.expression
    }

    /// Whether this is the call of a closure.
    func isCall(of closure: ClosureExprSyntax) -> Bool { self.closure.id == closure.id }

    /// Writes the statement.
    static func rewrite(_ work: FileWork) {
        for block in work.uses.blocks { work.edit(block.edits(in: work.file)) }
    }

    private func edits(in file: SourceFile) -> [Edit] {
        let start = call.range.lowerBound
        var edits = [Edit(range: start..<closure.range.lowerBound, text: "do ")]
        guard let signature = closure.signature, let name = Self.parameterName(closure) else {
            return edits + parameters.map { Edit(range: $0.range, text: center) }
        }
        let range = closure.leftBrace.range.upperBound..<signature.range.upperBound
        guard name != center else { return edits + [Edit(range: range, text: "")] }
        var text = "let \(name) = \(center)"
        if let first = closure.statements.first?.range.lowerBound, file.isFirstOnLine(first) {
            text = file.newline + file.indentation(at: first) + text
        } else {
            text = " \(text);"
        }
        edits.append(Edit(range: range, text: text))
        return edits
    }

    /// Whether an expression names the center, and can be written again for each call.
    private static func isPath(_ expression: ExprSyntax) -> Bool {
        if let reference = expression.as(DeclReferenceExprSyntax.self) {
            return reference.argumentNames == nil && !reference.baseName.text.hasPrefix("$")
        }
        guard let member = expression.as(MemberAccessExprSyntax.self), let base = member.base else {
            return false
        }
        return isPath(base)
    }

    /// Whether a call stands alone, and nothing returns its value.
    private static func isStatement(_ call: FunctionCallExprSyntax) -> Bool {
        guard let item = call.parent?.as(CodeBlockItemSyntax.self),
            let list = item.parent?.as(CodeBlockItemListSyntax.self)
        else { return false }
        if list.count > 1 { return true }
        guard let body = list.parent?.as(CodeBlockSyntax.self) else { return false }
        if let function = body.parent?.as(FunctionDeclSyntax.self) {
            return function.signature.returnClause == nil
        }
        return body.parent?.is(AccessorDeclSyntax.self) == false
    }
}

/// Finds the uses of a closure's parameter, and the code that would mean something else in a
/// statement.
private final class BodyFinder: SyntaxVisitor {
    var parameters: [DeclReferenceExprSyntax] = []
    var hasObstacle = false
    private let hasName: Bool

    init(_ closure: ClosureExprSyntax) {
        hasName = closure.signature != nil
        super.init(viewMode: .sourceAccurate)
        walk(closure.statements)
    }

    // `return` would leave the function around the statement.
    override func visit(_ node: ReturnStmtSyntax) -> SyntaxVisitorContinueKind {
        hasObstacle = true
        return .skipChildren
    }

    // Inner closures have parameters and results of their own.
    override func visit(_ node: ClosureExprSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }

    override func visit(_ node: DeclReferenceExprSyntax) -> SyntaxVisitorContinueKind {
        guard node.baseName.text == "$0", !hasName else { return .visitChildren }
        parameters.append(node)
        // Anywhere but before a member, the edits of an observer could meet this one.
        let member = node.parent?.as(MemberAccessExprSyntax.self)
        if member?.base?.id != ExprSyntax(node).id { hasObstacle = true }
        return .visitChildren
    }
}
