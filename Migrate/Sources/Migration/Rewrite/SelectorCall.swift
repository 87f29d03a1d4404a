// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwiftSyntax

/// A call of `addObserver(_:selector:name:object:)`, or one that resembles it.
struct SelectorCall {
    let node: FunctionCallExprSyntax
    /// The center; nil where `addObserver` stands alone.
    let base: ExprSyntax?
    let callee: TokenSyntax
    let arguments: [LabeledExprSyntax]

    init?(_ node: FunctionCallExprSyntax) {
        if let member = node.calledExpression.as(MemberAccessExprSyntax.self) {
            base = member.base
            callee = member.declName.baseName
        } else if let reference = node.calledExpression.as(DeclReferenceExprSyntax.self) {
            base = nil
            callee = reference.baseName
        } else {
            return nil
        }
        arguments = Array(node.arguments)
        guard callee.text == "addObserver",
            arguments.contains(where: { $0.label?.text == "selector" })
        else { return nil }
        self.node = node
    }

    /// The labels of the arguments; an underscore for none.
    var labels: [String] { node.labels }

    /// Whether the call has Apple's arguments, or those of the distributed center.
    var hasKnownForm: Bool {
        node.trailingClosure == nil && node.leftParen != nil
            && (labels == ["_", "selector", "name", "object"] || isWithSuspension)
    }

    /// Whether the call has the argument for a suspended distributed center.
    var isWithSuspension: Bool {
        labels == ["_", "selector", "name", "object", "suspensionBehavior"]
    }

    var observer: ExprSyntax { arguments[0].expression }
    var selector: ExprSyntax { arguments[1].expression }
    var name: ExprSyntax { arguments[2].expression }
    var object: ExprSyntax { arguments[3].expression }

    /// Whether a comment stands between the arguments.
    var hasComments: Bool {
        guard let left = node.leftParen, let right = node.rightParen else { return true }
        var trivia: [Trivia] = [left.trailingTrivia, right.leadingTrivia]
        for argument in arguments {
            trivia.append(argument.leadingTrivia)
            trivia.append(argument.trailingTrivia)
            trivia.append(argument.expression.leadingTrivia)
            trivia.append(argument.expression.trailingTrivia)
            if let comma = argument.trailingComma {
                trivia += [comma.leadingTrivia, comma.trailingTrivia]
            }
            if let label = argument.label { trivia += [label.leadingTrivia, label.trailingTrivia] }
        }
        return trivia.contains { $0.contains(where: \.isAnyComment) }
    }

    /// Whether the call is a statement of its own.
    var statement: CodeBlockItemSyntax? {
        guard let item = node.parent?.as(CodeBlockItemSyntax.self), item.semicolon == nil else {
            return nil
        }
        return item
    }
}

extension ExprSyntax {
    /// Whether the expression makes a value of a type that it does not name: `.init("Added")`.
    var isImplicitInit: Bool {
        let called = self.as(FunctionCallExprSyntax.self)?.calledExpression
            .as(MemberAccessExprSyntax.self)
        return called?.base == nil && called?.declName.baseName.text == "init"
    }

    /// Whether a comment stands between the expression's tokens.
    var hasInnerComments: Bool {
        let tokens = Array(tokens(viewMode: .sourceAccurate))
        return tokens.enumerated().contains { index, token in
            index > 0 && token.leadingTrivia.contains(where: \.isAnyComment)
                || index < tokens.count - 1 && token.trailingTrivia.contains(where: \.isAnyComment)
        }
    }
}

extension TriviaPiece {
    var isAnyComment: Bool {
        switch self {
        case .lineComment, .blockComment, .docLineComment, .docBlockComment: true
        default: false
        }
    }
}
