// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwiftSyntax

/// Finds the names that stand in calls which post notifications.
final class PostedNames: SyntaxVisitor {
    private var names: Set<String> = []

    static func all(in works: [FileWork]) -> Set<String> {
        let finder = PostedNames(viewMode: .sourceAccurate)
        for work in works where work.file.mentions(["post", "enqueue"]) {
            finder.walk(work.file.tree)
        }
        return finder.names
    }

    override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
        guard let callee = node.calledExpression.calleeName,
            callee.hasPrefix("post") || callee == "enqueue"
        else { return .visitChildren }
        for token in node.arguments.tokens(viewMode: .sourceAccurate) {
            if case .identifier(let text) = token.tokenKind { names.insert(text) }
        }
        return .visitChildren
    }
}
