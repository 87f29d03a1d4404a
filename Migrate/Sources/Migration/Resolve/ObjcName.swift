// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwiftParser
import SwiftSyntax

/// Names that methods have for Objective-C, as `Selector("changed:")` spells them.
enum ObjcName {
    /// The string literal in `Selector("…")`, or alone.
    static func literal(in expression: ExprSyntax) -> String? {
        var expression = expression
        if let call = expression.as(FunctionCallExprSyntax.self), call.arguments.count == 1,
            call.trailingClosure == nil, let argument = call.arguments.first, argument.label == nil
        {
            expression = argument.expression
        }
        while let tuple = expression.as(TupleExprSyntax.self), tuple.elements.count == 1,
            let only = tuple.elements.first
        {
            expression = only.expression
        }
        return expression.as(StringLiteralExprSyntax.self)?.representedLiteralValue
    }

    /// The one method of a name; nil if the classes, the nearest first, have none or several.
    static func method(_ name: String, in classes: [TypeInfo]) -> MethodInfo? {
        for type in classes {
            let found = type.methods.filter {
                !$0.isStatic && !$0.isLeftOut && names(of: $0).contains(name)
            }
            if !found.isEmpty { return found.count == 1 ? found[0] : nil }
        }
        return nil
    }

    /// The names that a method may have: `changed(note:)` is `changedWithNote:`, and
    /// `changed(with:)` is `changedWith:`.
    private static func names(of method: MethodInfo) -> [String] {
        if let given = method.attribute("objc")?.arguments { return [given.trimmedDescription] }
        let name = method.name.withoutBackticks
        guard let first = method.labels.first else { return [name] }
        let rest = method.labels.dropFirst().map { ($0 == "_" ? "" : $0) + ":" }.joined()
        guard first != "_", let initial = first.first else { return [name + ":" + rest] }
        let label = initial.uppercased() + first.dropFirst()
        return [name + "With" + label + ":" + rest, name + label + ":" + rest]
    }
}
