// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwiftSyntax

/// The sources of selectors that reach an observer through a parameter, or through a list of pairs.
///
/// Every one of them is a `#selector` in the same file, and nothing else happens to the value.
struct SelectorFlow {
    /// The uses of `#selector`.
    let sources: [ExprSyntax]
    /// The type `Selector`, where it is written.
    let written: TypeSyntax?
    /// Whether the type is a parameter's.
    let isParameter: Bool

    /// The values that flow.
    enum Kind {
        /// Uses of `#selector`.
        case selectors
        /// Methods, which stand in place of selectors after a migration.
        case methods
    }

    /// The flow that ends in an expression; nil if it can't be followed.
    static func into(
        _ expression: ExprSyntax, of kind: Kind = .selectors, in index: ModuleIndex,
        _ file: SourceFile
    ) -> SelectorFlow? {
        if let reference = expression.as(DeclReferenceExprSyntax.self) {
            return parameter(reference, kind, in: index, file) ?? bound(reference, kind)
        }
        if let member = expression.as(MemberAccessExprSyntax.self),
            let base = member.base?.as(DeclReferenceExprSyntax.self),
            let place = Int(member.declName.baseName.text)
        {
            return element(place, of: base, kind)
        }
        return nil
    }

    // MARK: - Parameters

    /// The flow through a parameter of a private method, all whose calls have a `#selector` there.
    private static func parameter(
        _ reference: DeclReferenceExprSyntax, _ kind: Kind, in index: ModuleIndex,
        _ file: SourceFile
    ) -> SelectorFlow? {
        let name = reference.baseName.text
        guard
            let function = reference.ancestors.lazy.compactMap({ $0.as(FunctionDeclSyntax.self) })
                .first,
            let type = index.enclosingType(of: function), let body = function.body,
            function.parent?.is(MemberBlockItemSyntax.self) == true,
            Access(function.modifiers) ?? .internal <= .fileprivate, function.attributes.isEmpty,
            !function.modifiers.contains(where: { ["static", "class"].contains($0.name.text) }),
            type.methods.filter({ $0.name == function.name.text }).count == 1,
            Uses.of(name, in: body).count == 1
        else { return nil }
        let parameters = Array(function.signature.parameterClause.parameters)
        guard parameters.allSatisfy({ $0.defaultValue == nil && $0.ellipsis == nil }),
            let place = parameters.firstIndex(where: {
                ($0.secondName ?? $0.firstName).text == name
            }), fits(parameters[place].type, kind)
        else { return nil }
        let calls = Uses.of(function.name.text, in: file.tree).filter {
            // A member of another object is another method.
            guard let member = $0.parent?.as(MemberAccessExprSyntax.self),
                member.declName.id == $0.id
            else { return true }
            return member.base?.trimmedDescription == "self"
                || index.enclosingType(of: $0) === type
                    && member.base?.is(SuperExprSyntax.self) == true
        }
        let sources = calls.map { call -> ExprSyntax? in
            guard index.enclosingType(of: call) === type else { return nil }
            return argument(place, of: call, kind, labels: parameters.map(\.firstName.text))
        }
        guard !sources.isEmpty, !sources.contains(nil) else { return nil }
        return SelectorFlow(
            sources: sources.compactMap { $0 }, written: parameters[place].type, isParameter: true)
    }

    /// The `#selector` that a call has at a place.
    private static func argument(
        _ place: Int, of reference: DeclReferenceExprSyntax, _ kind: Kind, labels: [String]
    ) -> ExprSyntax? {
        var callee = ExprSyntax(reference)
        if let member = reference.parent?.as(MemberAccessExprSyntax.self),
            member.declName.id == reference.id
        {
            guard member.base?.trimmedDescription == "self" else { return nil }
            callee = ExprSyntax(member)
        }
        guard let call = callee.parent?.as(FunctionCallExprSyntax.self),
            call.calledExpression.id == callee.id, call.trailingClosure == nil,
            call.arguments.map({ $0.label?.text ?? "_" }) == labels
        else { return nil }
        let expression = Array(call.arguments)[place].expression
        return fits(expression, kind) ? expression : nil
    }

    // MARK: - Pairs

    /// The flow through a loop over pairs, as in `for (name, selector) in [(a, #selector(b))]`.
    private static func bound(_ reference: DeclReferenceExprSyntax, _ kind: Kind) -> SelectorFlow? {
        let name = reference.baseName.text
        for ancestor in reference.ancestors {
            if let loop = ancestor.as(ForStmtSyntax.self),
                let place = place(of: name, in: Syntax(loop.pattern))
            {
                guard Uses.of(name, in: loop.body).count == 1 else { return nil }
                return pairs(loop.sequence, place, kind)
            }
            if let closure = ancestor.as(ClosureExprSyntax.self),
                case .simpleInput(let names)? = closure.signature?.parameterClause,
                let place = names.map(\.name.text).firstIndex(of: name)
            {
                guard names.count == 2, Uses.of(name, in: closure.statements).count == 1 else {
                    return nil
                }
                return list(givenTo: closure).flatMap { pairs($0, place, kind) }
            }
            if ancestor.is(FunctionDeclSyntax.self) { return nil }
        }
        return nil
    }

    /// The place of a name in `(first, second)`.
    private static func place(of name: String, in pattern: Syntax) -> Int? {
        pattern.as(TuplePatternSyntax.self)?.elements.map(\.pattern.trimmedDescription)
            .firstIndex(of: name)
    }

    /// The flow through `$0.1`, or `pair.1`, over pairs.
    private static func element(
        _ place: Int, of base: DeclReferenceExprSyntax, _ kind: Kind
    ) -> SelectorFlow? {
        let name = base.baseName.text
        let selector = "\(name).\(place)"
        for ancestor in base.ancestors {
            if let loop = ancestor.as(ForStmtSyntax.self),
                loop.pattern.trimmedDescription == name
            {
                return count(selector, in: loop.body) == 1 ? pairs(loop.sequence, place, kind) : nil
            }
            if let closure = ancestor.as(ClosureExprSyntax.self),
                name == "$0" || CenterBlock.parameterName(closure) == name
            {
                guard (closure.signature == nil) == (name == "$0"),
                    count(selector, in: closure.statements) == 1
                else { return nil }
                return list(givenTo: closure).flatMap { pairs($0, place, kind) }
            }
        }
        return nil
    }

    private static func count(_ member: String, in body: some SyntaxProtocol) -> Int {
        Uses.of(String(member.prefix { $0 != "." }), in: body).filter {
            $0.parent?.trimmedDescription == member
        }.count
    }

    /// The list whose elements `forEach` gives to a closure.
    private static func list(givenTo closure: ClosureExprSyntax) -> ExprSyntax? {
        guard let call = closure.parent?.as(FunctionCallExprSyntax.self),
            call.trailingClosure?.id == closure.id, call.arguments.isEmpty,
            let member = call.calledExpression.as(MemberAccessExprSyntax.self),
            member.declName.baseName.text == "forEach"
        else { return nil }
        return member.base
    }

    /// The selectors in a list, or in a constant of the same function that is one.
    private static func pairs(_ list: ExprSyntax, _ place: Int, _ kind: Kind) -> SelectorFlow? {
        var literal = list.as(ArrayExprSyntax.self)
        var written: TypeSyntax?
        if let reference = list.as(DeclReferenceExprSyntax.self) {
            let name = reference.baseName.text
            for ancestor in reference.ancestors {
                guard let items = ancestor.as(CodeBlockItemListSyntax.self) else { continue }
                let found = items.compactMap { $0.item.as(VariableDeclSyntax.self) }
                    .filter { $0.bindings.first?.pattern.trimmedDescription == name }
                guard let constant = found.first else { continue }
                guard found.count == 1, constant.bindings.count == 1,
                    constant.bindingSpecifier.text == "let", Uses.of(name, in: items).count == 1,
                    let binding = constant.bindings.first
                else { return nil }
                literal = binding.initializer?.value.as(ArrayExprSyntax.self)
                guard let annotation = binding.typeAnnotation?.type else { break }
                guard let element = annotation.as(ArrayTypeSyntax.self)?.element,
                    let types = element.as(TupleTypeSyntax.self)?.elements, types.count == 2,
                    fits(Array(types)[place].type, kind)
                else { return nil }
                written = Array(types)[place].type
                break
            }
        }
        guard let literal, place < 2 else { return nil }
        let sources = literal.elements.map { element -> ExprSyntax? in
            guard let pair = element.expression.as(TupleExprSyntax.self), pair.elements.count == 2
            else { return nil }
            let expression = Array(pair.elements)[place].expression
            return fits(expression, kind) ? expression : nil
        }
        guard !sources.isEmpty, !sources.contains(nil) else { return nil }
        return SelectorFlow(
            sources: sources.compactMap { $0 }, written: written, isParameter: false)
    }

    // MARK: - Kinds

    private static func fits(_ type: TypeSyntax, _ kind: Kind) -> Bool {
        guard kind == .methods else {
            return ["Selector", "ObjectiveC.Selector"].contains(type.trimmedDescription)
        }
        return (type.as(AttributedTypeSyntax.self)?.baseType ?? type).is(FunctionTypeSyntax.self)
    }

    private static func fits(_ expression: ExprSyntax, _ kind: Kind) -> Bool {
        kind == .methods
            ? expression.methodReference != nil
            : expression.as(MacroExpansionExprSyntax.self)?.macroName.text == "selector"
    }
}

/// Finds the uses of a name.
private final class Uses: SyntaxVisitor {
    private let name: String
    private var found: [DeclReferenceExprSyntax] = []

    private init(_ name: String) {
        self.name = name
        super.init(viewMode: .sourceAccurate)
    }

    static func of(_ name: String, in node: some SyntaxProtocol) -> [DeclReferenceExprSyntax] {
        let finder = Uses(name)
        finder.walk(node)
        return finder.found
    }

    override func visit(_ node: DeclReferenceExprSyntax) -> SyntaxVisitorContinueKind {
        if node.baseName.text == name { found.append(node) }
        return .visitChildren
    }
}
