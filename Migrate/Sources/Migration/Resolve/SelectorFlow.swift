// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwiftSyntax

/// Selectors that reach observers through parameters of methods, or through lists.
///
/// Every one of them is a `#selector` in the same file, and nothing else happens to the values.
struct SelectorFlow {
    /// A place where the type `Selector` is written.
    struct Written {
        let type: TypeSyntax
        /// Whether the type is a parameter's.
        let isParameter: Bool
    }

    /// The values that flow.
    enum Kind {
        /// Uses of `#selector`.
        case selectors
        /// Methods, which stand in place of selectors after a migration.
        case methods

        /// Whether a value of this kind may have the type.
        func fits(_ type: TypeSyntax) -> Bool {
            switch self {
            case .selectors:
                ["Selector", "ObjectiveC.Selector"].contains(type.trimmedDescription)
            case .methods:
                (type.as(AttributedTypeSyntax.self)?.baseType ?? type).is(FunctionTypeSyntax.self)
            }
        }

        /// Whether an expression is a value of this kind.
        func fits(_ expression: ExprSyntax) -> Bool {
            switch self {
            case .selectors:
                expression.as(MacroExpansionExprSyntax.self)?.macroName.text == "selector"
            case .methods: expression.methodReference != nil
            }
        }
    }

    /// The uses of `#selector`.
    var sources: [ExprSyntax] = []
    /// The types `Selector` on the way.
    var written: [Written] = []
    /// The calls of `addObserver` in which the values end.
    var calls: [SelectorCall] = []

    /// The flow that ends in an expression; nil if it can't be followed.
    static func into(
        _ expression: ExprSyntax, of kind: Kind = .selectors, in package: PackageIndex,
        _ work: FileWork
    ) -> SelectorFlow? {
        var tracer = SelectorTracer(kind: kind, package: package, work: work)
        guard tracer.follow(expression), tracer.isFlow, !tracer.flow.sources.isEmpty else {
            return nil
        }
        return tracer.flow
    }
}
