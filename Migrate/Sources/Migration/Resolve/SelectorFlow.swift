// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwiftSyntax

/// Selectors that reach observers through parameters of methods, or through lists.
///
/// Every one of them is a `#selector` in the same module, and nothing else happens to the values.
struct SelectorFlow {
    /// A use of `#selector`.
    struct Source {
        let node: ExprSyntax
        let work: FileWork
        /// The class of the observer, as the call sees it that gives the selector; nil for an
        /// element of a list.
        let receiver: TypeInfo?
    }

    /// A place where the type `Selector` is written.
    struct Written {
        let type: TypeSyntax
        /// The method whose parameter has the type; nil for the type of a list.
        let function: FunctionDeclSyntax?
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
                type.functionType?.returnClause.type.functionType != nil
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
    var sources: [Source] = []
    /// The types `Selector` on the way.
    var written: [Written] = []
    /// The calls of `addObserver` in which the values end.
    var calls: [SelectorCall] = []
    /// The parameter that has the observer, where it is one beside the selector's.
    var observer: FunctionParameterSyntax?

    /// The other parameters for selectors of the methods on the way.
    var others: [FunctionParameterSyntax] {
        let followed = written.map(\.type.id)
        let functions = written.compactMap(\.function)
        return functions.flatMap(\.signature.parameterClause.parameters).filter {
            Kind.selectors.fits($0.type) && !followed.contains($0.type.id)
        }
    }

    /// The flow that ends in an expression; nil if the value comes neither from a parameter nor
    /// from a list. Throws if it comes from there, and can't be followed.
    static func into(
        _ expression: ExprSyntax, of kind: Kind = .selectors, in scope: FlowScope,
        _ work: FileWork
    ) throws(Obstacle) -> SelectorFlow? {
        var tracer = SelectorTracer(
            into: expression, kind: kind, scope: scope, work: work)
        do throws(Obstacle) {
            try tracer.follow(expression)
        } catch {
            guard tracer.isFlow else { return nil }
            throw error
        }
        guard tracer.isFlow else { return nil }
        if kind == .selectors, tracer.flow.sources.isEmpty {
            throw unfollowed(expression.trimmedDescription)
        }
        return tracer.flow
    }

    /// The flow through a parameter for a selector.
    static func through(
        _ parameter: FunctionParameterSyntax, in scope: FlowScope, _ work: FileWork
    ) throws(Obstacle) -> SelectorFlow {
        let name = (parameter.secondName ?? parameter.firstName).text
        var tracer = SelectorTracer(
            into: ExprSyntax(DeclReferenceExprSyntax(baseName: .identifier(name))),
            kind: .selectors, scope: scope, work: work)
        try tracer.follow(parameter)
        guard !tracer.flow.sources.isEmpty else { throw unfollowed(name) }
        return tracer.flow
    }

    /// The obstacle for a selector whose methods are not found.
    static func unfollowed(_ selector: String) -> Obstacle {
        Obstacle(
            .selectorVariable,
            "`\(selector)` is no constant whose method can be found: write the method with its class, as in `Controller.changed`"
        )
    }
}

extension TypeSyntax {
    /// The function type, without attributes.
    fileprivate var functionType: FunctionTypeSyntax? {
        (self.as(AttributedTypeSyntax.self)?.baseType ?? self).as(FunctionTypeSyntax.self)
    }
}
