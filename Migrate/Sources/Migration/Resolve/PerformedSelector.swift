// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwiftSyntax

/// The selector of a call as a closure captures it, by the name `selector`.
enum PerformedSelector {
    /// The entry of the capture list. It has the value that the selector has where the closure is
    /// made.
    static func capture(of expression: ExprSyntax, _ work: FileWork) -> String {
        let spelled = expression.trimmedDescription
        if spelled == "selector", isConstant(expression, work) { return spelled }
        let called = expression.as(FunctionCallExprSyntax.self)?.calledExpression
        let isSelector =
            expression.is(MacroExpansionExprSyntax.self)
            || ["Selector", "NSSelectorFromString"].contains(called?.trimmedDescription)
        return "selector = " + spelled + (isSelector ? "" : " as Selector")
    }

    /// Whether a name is one of a parameter or a constant whose declaration says that it is a
    /// selector.
    private static func isConstant(_ expression: ExprSyntax, _ work: FileWork) -> Bool {
        guard let variable = work.resolver.variable(named: "selector", at: expression) else {
            return false
        }
        return variable.isConstant && variable.annotation?.trimmedDescription == "Selector"
            && !variable.node.ancestors.contains {
                $0.is(MemberBlockItemSyntax.self) && !variable.node.is(FunctionParameterSyntax.self)
            }
    }
}
