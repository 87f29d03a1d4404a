// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwiftSyntax

/// The actor on which code runs, as far as its declaration says.
enum Isolation: Equatable {
    case unspecified, nonisolated, mainActor
    case other(String)
}

/// A class or another type of a module, with the members of its extensions.
final class TypeInfo {
    enum Kind { case `class`, actor, value, `protocol`, outside }

    /// The name with the types around it, as `Outer.Inner`.
    let name: String
    let kind: Kind
    let file: SourceFile
    /// The declaration, or the first extension of a type of another module.
    let node: Syntax
    /// The names after the colon of the declaration, as they are written.
    var declaredInheritance: [String] = []
    /// The names after the colons of the extensions.
    var addedInheritance: [String] = []
    var isolation = Isolation.unspecified
    var access = Access.internal
    var isGeneric = false
    var isObjcMembers = false
    var isObjc = false
    var methods: [MethodInfo] = []
    var variables: [VariableInfo] = []
    var failableInitializers: [InitializerDeclSyntax] = []
    /// The function body that holds the type, if one does.
    var scope: Range<Int>?

    init(name: String, kind: Kind, file: SourceFile, node: Syntax) {
        self.name = name
        self.kind = kind
        self.file = file
        self.node = node
    }

    var inheritance: [String] { declaredInheritance + addedInheritance }

    /// Whether a call of the type's name may have an optional for its result.
    func mayFail(in call: FunctionCallExprSyntax) -> Bool {
        failableInitializers.contains { initializer in
            let parameters = initializer.signature.parameterClause.parameters
            return call.trailingClosure != nil
                || parameters.map(\.firstName.text) == call.labels
                || parameters.contains { $0.defaultValue != nil || $0.ellipsis != nil }
        }
    }
    var isLeftOut: Bool { file.leavesOut(node) }
}

/// The access to a declaration.
enum Access: Int, Comparable {
    case `private`, `fileprivate`, `internal`, package, `public`, open

    init?(_ modifiers: DeclModifierListSyntax) {
        for modifier in modifiers where modifier.detail == nil {
            switch modifier.name.text {
            case "private": self = .private
            case "fileprivate": self = .fileprivate
            case "internal": self = .internal
            case "package": self = .package
            case "public": self = .public
            case "open": self = .open
            default: continue
            }
            return
        }
        return nil
    }

    static func < (first: Access, second: Access) -> Bool { first.rawValue < second.rawValue }
}

/// A method of a type.
final class MethodInfo {
    let node: FunctionDeclSyntax
    let file: SourceFile
    let isInExtension: Bool
    let isolation: Isolation
    let access: Access

    init(
        _ node: FunctionDeclSyntax, in file: SourceFile, isInExtension: Bool, isolation: Isolation,
        access: Access
    ) {
        self.node = node
        self.file = file
        self.isInExtension = isInExtension
        self.isolation = isolation
        self.access = access
    }

    var name: String { node.name.text }
    var labels: [String] { node.signature.parameterClause.parameters.map(\.firstName.text) }
    var isStatic: Bool { has("static") || has("class") }
    var isOverride: Bool { has("override") }
    /// Whether Objective-C alone makes the override possible.
    var isOverrideInExtension: Bool { isOverride && isInExtension }
    var isLeftOut: Bool { file.leavesOut(node) }
    var hasBody: Bool { node.body != nil }
    var hasResult: Bool {
        let result = node.signature.returnClause?.type.trimmedDescription
        return result != nil && result != "Void" && result != "()"
    }

    /// Whether a call with some labels may mean the method.
    func mayTake(_ labels: [String]) -> Bool {
        self.labels == labels
            || node.signature.parameterClause.parameters.contains {
                $0.defaultValue != nil || $0.ellipsis != nil
            }
    }

    /// Whether two methods of one type are the same but for their files. They then belong to
    /// different programs, or are private, so that one spelling of the method's name means each of
    /// them in its own program.
    func isCopy(of other: MethodInfo) -> Bool {
        func text(_ method: MethodInfo) -> [String] {
            [
                method.name, method.node.signature.trimmedDescription,
                method.node.genericParameterClause?.trimmedDescription ?? "",
            ]
        }
        return file !== other.file && text(self) == text(other) && isStatic == other.isStatic
            && isolation == other.isolation
            && Set(node.attributes.names) == Set(other.node.attributes.names)
    }

    func has(_ modifier: String) -> Bool { node.modifiers.contains { $0.name.text == modifier } }

    /// The attribute of a name, where it stands directly before the method.
    func attribute(_ name: String) -> AttributeSyntax? { node.attributes.named(name) }
}

extension AttributeListSyntax {
    /// The attribute of a name, not inside `#if`.
    func named(_ name: String) -> AttributeSyntax? {
        lazy.compactMap { $0.as(AttributeSyntax.self) }
            .first { $0.attributeName.trimmedDescription == name }
    }

    /// The names of all attributes, also those inside `#if`.
    var names: [String] {
        flatMap { element -> [String] in
            if let attribute = element.as(AttributeSyntax.self) {
                return [attribute.attributeName.trimmedDescription]
            }
            return element.as(IfConfigDeclSyntax.self)?.clauses.flatMap {
                $0.elements?.as(AttributeListSyntax.self)?.names ?? []
            } ?? []
        }
    }
}

/// A variable with the source of its type: an annotation, or the value it begins with.
struct VariableInfo {
    var name: String
    var annotation: TypeSyntax?
    var value: ExprSyntax?
    /// The node at which names in both are looked up.
    var node: Syntax
    var isConstant: Bool
    /// Whether an optional is bound: `guard let center = value`, or `guard let center` without a
    /// value.
    var isBinding = false
    /// Whether a closure captures the variable weakly.
    var isWeak = false
    /// Whether the variable is the one parameter of the closure at the node.
    var isGiven = false
}

extension VariableInfo {
    /// The variables that a declaration declares.
    static func all(in declaration: VariableDeclSyntax) -> [VariableInfo] {
        declaration.bindings.compactMap { binding in
            guard let name = binding.pattern.as(IdentifierPatternSyntax.self) else { return nil }
            return VariableInfo(
                name: name.identifier.text.withoutBackticks,
                annotation: binding.typeAnnotation?.type,
                value: binding.initializer?.value, node: Syntax(binding),
                isConstant: declaration.bindingSpecifier.text == "let")
        }
    }
}

extension String {
    /// An identifier without the backticks that a keyword needs.
    var withoutBackticks: String {
        count > 2 && hasPrefix("`") && hasSuffix("`") ? String(dropFirst().dropLast()) : self
    }
}
