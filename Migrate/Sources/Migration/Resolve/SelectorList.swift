// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwiftSyntax

/// A list whose elements are selectors, or have them as parts, as in `[(name,
/// #selector(changed))]`.
struct SelectorList {
    /// The place of a selector in the elements of a list.
    enum Place: Hashable {
        case whole
        case part(Int)
    }

    /// A place in the elements of one list.
    struct Element: Hashable {
        let list: SyntaxIdentifier
        let place: Place
    }

    /// The declaration, or the literal where no variable has it.
    let origin: Syntax
    /// The literals that the variable may have.
    private(set) var literals: [ExprSyntax] = []
    /// The expressions that read the list.
    private(set) var uses: [ExprSyntax] = []
    /// The type that the declaration names.
    private(set) var annotation: TypeSyntax?

    /// The list over which a loop runs that binds an expression, and the place of the expression in
    /// it.
    static func element(
        _ expression: ExprSyntax, in work: FileWork
    ) -> (list: SelectorList, element: Element)? {
        let member = expression.as(MemberAccessExprSyntax.self)
        guard let name = (member?.base ?? expression).as(DeclReferenceExprSyntax.self),
            let loop = SelectorLoop(binding: name, in: work),
            let list = SelectorList(loop.sequence, in: work),
            let place = loop.place(
                of: name.baseName.text, member?.declName.baseName.text, labels: list.labels)
        else { return nil }
        return (list, Element(list: list.origin.id, place: place))
    }

    /// The list that an expression is; nil if it is none all whose uses are understood.
    init?(_ expression: ExprSyntax, in work: FileWork) {
        if Self.isLiteral(expression) {
            origin = Syntax(expression)
            (literals, uses) = ([expression], [expression])
            return
        }
        guard let binding = Self.declaration(of: expression, in: work),
            let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.text,
            let scope = Self.scope(of: binding, in: work)
        else { return nil }
        origin = Syntax(binding)
        annotation = binding.typeAnnotation?.type
        if let value = binding.initializer?.value ?? binding.accessorBlock?.onlyExpression {
            literals.append(value)
        }
        for reference in NameUses.of(name, in: scope) {
            guard let use = Self.use(reference, of: binding, in: work) else { return nil }
            guard let assigned = use.assignedValue else {
                uses.append(use)
                continue
            }
            literals.append(assigned)
        }
        guard !literals.isEmpty, literals.allSatisfy(Self.isLiteral) else { return nil }
    }

    private static func isLiteral(_ expression: ExprSyntax) -> Bool {
        expression.is(ArrayExprSyntax.self) || expression.is(DictionaryExprSyntax.self)
    }

    // MARK: - The declaration

    private static func declaration(
        of expression: ExprSyntax, in work: FileWork
    ) -> PatternBindingSyntax? {
        if let reference = expression.as(DeclReferenceExprSyntax.self) {
            return work.resolver.variable(named: reference.baseName.text, at: reference)?.node
                .as(PatternBindingSyntax.self)
        }
        guard let member = expression.as(MemberAccessExprSyntax.self), let base = member.base,
            let type = work.module.enclosingType(of: member),
            ["self", "Self", type.name].contains(base.trimmedDescription)
        else { return nil }
        let found = type.variables.filter { $0.name == member.declName.baseName.text }
        return found.count == 1 ? found[0].node.as(PatternBindingSyntax.self) : nil
    }

    /// The code that sees a variable: a function's body, or the file for a private one.
    private static func scope(of binding: PatternBindingSyntax, in work: FileWork) -> Syntax? {
        guard let declaration = binding.parent?.parent?.as(VariableDeclSyntax.self),
            declaration.bindings.count == 1, binding.root.id == work.file.tree.root.id
        else { return nil }
        if let items = declaration.parent?.parent?.as(CodeBlockItemListSyntax.self),
            items.parent?.is(SourceFileSyntax.self) == false
        {
            return Syntax(items)
        }
        let access = Access(declaration.modifiers) ?? .internal
        return access <= .fileprivate ? Syntax(work.file.tree) : nil
    }

    /// The expression in which a name means the list; nil if it may mean something else.
    private static func use(
        _ reference: DeclReferenceExprSyntax, of binding: PatternBindingSyntax, in work: FileWork
    ) -> ExprSyntax? {
        var use = ExprSyntax(reference)
        if let member = reference.parent?.as(MemberAccessExprSyntax.self),
            member.declName.id == reference.id
        {
            use = ExprSyntax(member)
        }
        return declaration(of: use, in: work)?.id == binding.id ? use : nil
    }

    // MARK: - Elements

    /// The labels of the parts of an element; empty for those without.
    var labels: [String] {
        if annotation?.is(DictionaryTypeSyntax.self) == true
            || literals.contains(where: { $0.is(DictionaryExprSyntax.self) })
        {
            return ["key", "value"]
        }
        if let tuple = annotation?.as(ArrayTypeSyntax.self)?.element.as(TupleTypeSyntax.self) {
            return tuple.elements.map { $0.firstName?.text ?? "" }
        }
        let first = literals.lazy.compactMap {
            $0.as(ArrayExprSyntax.self)?.elements.first?.expression.as(TupleExprSyntax.self)
        }.first
        return first?.elements.map { $0.label?.text ?? "" } ?? []
    }

    /// The type at a place, where the declaration names it.
    func type(of place: Place) -> TypeSyntax? {
        if let dictionary = annotation?.as(DictionaryTypeSyntax.self) {
            return place == .part(1) ? dictionary.value : nil
        }
        guard let element = annotation?.as(ArrayTypeSyntax.self)?.element else { return nil }
        guard case .part(let index) = place else { return element }
        let parts = element.as(TupleTypeSyntax.self)?.elements.map(\.type) ?? []
        return index < parts.count ? parts[index] : nil
    }

    /// The values at a place in all literals; nil if an element has another form.
    func values(of place: Place) -> [ExprSyntax]? {
        var values: [ExprSyntax] = []
        for literal in literals {
            if let dictionary = literal.as(DictionaryExprSyntax.self) {
                guard place == .part(1) else { return nil }
                if case .elements(let elements) = dictionary.content {
                    values += elements.map(\.value)
                }
                continue
            }
            for element in literal.as(ArrayExprSyntax.self)?.elements ?? [] {
                guard case .part(let index) = place else {
                    values.append(element.expression)
                    continue
                }
                let parts = element.expression.as(TupleExprSyntax.self)?.elements.map(\.expression)
                guard let parts, parts.count > 1, index < parts.count else { return nil }
                values.append(parts[index])
            }
        }
        return values
    }
}

extension AccessorBlockSyntax {
    /// The one expression of a getter without statements before it.
    fileprivate var onlyExpression: ExprSyntax? {
        guard case .getter(let items) = accessors, items.count == 1, let item = items.first?.item
        else { return nil }
        return item.as(ExprSyntax.self) ?? item.as(ReturnStmtSyntax.self)?.expression
    }
}
