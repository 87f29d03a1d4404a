// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwiftSyntax

/// A method that a selector names.
struct SelectorTarget {
    /// The type that declares it.
    var type: TypeInfo
    var method: MethodInfo
    /// The parameter of the method.
    var parameter: Parameter
    /// Whether the type has several methods of its name.
    var isOverloaded: Bool
    /// Whether several of them have its labels, too.
    var needsType: Bool

    enum Parameter {
        case none, notification, nsNotification
        /// A parameter that takes any notification, or any object.
        case anyNotification, anyObject
    }
}

/// The reason for which a place was left.
struct Obstacle: Error {
    var code: Finding.Code
    var message: String

    init(_ code: Finding.Code, _ message: String) {
        self.code = code
        self.message = message
    }
}

/// Finds the method that a selector names.
struct SelectorResolver {
    let resolver: Resolver
    private var index: ModuleIndex { resolver.index }

    /// The method that the argument `selector:` names; a string names one of the observer's class.
    func target(
        of expression: ExprSyntax, observer: ValueType = .unknown
    ) throws(Obstacle) -> SelectorTarget {
        if let macro = expression.as(MacroExpansionExprSyntax.self),
            macro.macroName.text == "selector"
        {
            let target = try target(of: macro)
            return sameName(as: target, in: observer) ?? target
        }
        let spelled = expression.trimmedDescription
        if spelled.hasPrefix("Selector(") || spelled.hasPrefix("NSSelectorFromString(")
            || expression.is(StringLiteralExprSyntax.self)
        {
            if case .instance(let owner) = observer, let name = ObjcName.literal(in: expression),
                let method = ObjcName.method(name, in: index.chain(of: owner))
            {
                return try self.method(
                    method.name.withoutBackticks, method.labels, nil, in: owner)
            }
            throw Obstacle(
                .selectorString,
                "the selector \(spelled) is a string: write the method with its class, as in `Controller.changed`"
            )
        }
        guard let (constant, file) = constant(expression) else {
            throw Obstacle(
                .selectorVariable,
                "`\(spelled)` is no constant whose method can be found: write the method with its class, as in `Controller.changed`"
            )
        }
        let inner = SelectorResolver(resolver: Resolver(index: index, file: file))
        return try inner.target(of: constant)
    }

    /// The observer's method, where the selector names one of a class that is not the observer's:
    /// to Objective-C a selector is a name, which the observer's class may have, too.
    private func sameName(as target: SelectorTarget, in observer: ValueType) -> SelectorTarget? {
        guard case .instance(let owner) = observer.unwrapped,
            !index.inherits(owner, from: target.type), !index.inherits(target.type, from: owner),
            target.method.attribute("objc")?.arguments == nil,
            let own = try? method(
                target.method.name.withoutBackticks, target.method.labels, nil, in: owner),
            own.method.attribute("objc")?.arguments == nil
        else { return nil }
        return own
    }

    /// The `#selector` with which a constant begins, and its file.
    private func constant(
        _ expression: ExprSyntax
    ) -> (macro: MacroExpansionExprSyntax, file: SourceFile)? {
        var variable: VariableInfo?
        if let reference = expression.as(DeclReferenceExprSyntax.self) {
            variable = resolver.variable(named: reference.baseName.text, at: expression)
        } else if let member = expression.as(MemberAccessExprSyntax.self),
            member.base == nil
                || ["Selector", "Self", "self"].contains(member.base?.trimmedDescription)
        {
            let owner =
                member.base == nil || member.base?.trimmedDescription == "Selector"
                ? index.types["Selector"]?.first : index.enclosingType(of: member)
            let found = owner?.variables.filter { $0.name == member.declName.baseName.text } ?? []
            variable = found.count == 1 ? found[0] : nil
        }
        guard let variable, variable.isConstant, !variable.isBinding,
            let macro = variable.value?.as(MacroExpansionExprSyntax.self),
            macro.macroName.text == "selector",
            let file = index.file(of: macro)
        else { return nil }
        return (macro, file)
    }

    // MARK: - #selector

    private func target(of macro: MacroExpansionExprSyntax) throws(Obstacle) -> SelectorTarget {
        guard let argument = macro.arguments.first, macro.arguments.count == 1 else {
            throw Obstacle(.selectorUnknown, "`\(macro.trimmedDescription)` names no method")
        }
        if let label = argument.label {
            throw Obstacle(
                .selectorUnknown,
                "`#selector(\(label.text): …)` names a property's accessor: write a closure")
        }
        var expression = argument.expression
        var cast: String?
        while true {
            if let tuple = expression.as(TupleExprSyntax.self), tuple.elements.count == 1,
                let only = tuple.elements.first
            {
                expression = only.expression
            } else if let sequence = expression.as(SequenceExprSyntax.self),
                let first = sequence.elements.first, sequence.elements.count == 3,
                let type = sequence.elements.last?.as(TypeExprSyntax.self)
            {
                cast = type.trimmedDescription
                expression = first
            } else {
                break
            }
        }
        let (owner, reference) = try owner(of: expression)
        let labels = reference.argumentNames?.arguments.map(\.name.text)
        return try method(reference.baseName.text.withoutBackticks, labels, cast, in: owner)
    }

    /// The type whose method an expression names, and the name.
    private func owner(
        of expression: ExprSyntax
    ) throws(Obstacle) -> (TypeInfo, DeclReferenceExprSyntax) {
        let unknown = Obstacle(
            .selectorUnknown,
            "the type of `\(expression.trimmedDescription)` was not found in this module")
        if let reference = expression.as(DeclReferenceExprSyntax.self) {
            guard let type = index.enclosingType(of: expression) else { throw unknown }
            return (type, reference)
        }
        guard let member = expression.as(MemberAccessExprSyntax.self), let base = member.base else {
            throw unknown
        }
        if ["self", "Self", "type(of: self)"].contains(base.trimmedDescription) {
            guard let type = index.enclosingType(of: expression) else { throw unknown }
            return (type, member.declName)
        }
        switch resolver.type(of: base).unwrapped {
        case .instance(let type), .metatype(let type): return (type, member.declName)
        default: break
        }
        guard let type = index.type(named: base.trimmedDescription, at: base, in: resolver.file)
        else {
            throw unknown
        }
        return (type, member.declName)
    }

    // MARK: - Methods

    private func method(
        _ name: String, _ labels: [String]?, _ cast: String?, in owner: TypeInfo
    ) throws(Obstacle) -> SelectorTarget {
        for type in index.chainWithFrameworks(of: owner) {
            let all = type.methods.filter { $0.name.withoutBackticks == name }
            let compiled = all.filter { !$0.isLeftOut }
            let named = (compiled.isEmpty ? all : compiled).filter {
                labels == nil || $0.labels == labels
            }
            guard !named.isEmpty else { continue }
            if named.contains(where: \.isStatic) {
                throw Obstacle(
                    .methodStatic, "`\(type.name).\(name)` is a static method: write a closure")
            }
            let method = try one(of: named, cast, name)
            // A type with a selector is a class, also where another module declares it.
            if type.kind == .outside, !method.file.isForApple, AppleNames.isApple(type.name) {
                throw Obstacle(
                    .methodOutside,
                    "`\(name)` extends `\(type.name)`, which exists on Apple's systems only"
                )
            }
            // Methods of actors that a selector can name are not isolated.
            guard type.kind == .class || type.kind == .outside || type.kind == .actor else {
                throw Obstacle(.methodSignature, "`\(type.name)` is no class")
            }
            let siblings = overloads(of: method, in: type)
            return SelectorTarget(
                type: type, method: method, parameter: try parameter(of: method, in: type),
                isOverloaded: !siblings.isEmpty,
                needsType: siblings.contains { $0.labels == method.labels })
        }
        if let inherited = inherited(name, labels, by: owner) { return inherited }
        throw index.hasOutsideSuperclass(owner)
            ? Obstacle(
                .methodOutside,
                "`\(name)` is not declared in this module; `\(owner.name)` may inherit it: write the method with the class that declares it, or a closure"
            )
            : Obstacle(.selectorUnknown, "`\(owner.name)` has no method `\(name)`")
    }

    /// A method without parameters that every view has, and every controller, on Apple's systems.
    private func inherited(
        _ name: String, _ labels: [String]?, by owner: TypeInfo
    ) -> SelectorTarget? {
        guard resolver.file.isForApple, labels ?? [] == [], owner.kind == .class,
            index.hasOutsideSuperclass(owner), index.isolation(of: owner) == .mainActor,
            let method = AppleMethods.method(
                name, inheritedBy: index.chain(of: owner), resolver.file)
        else { return nil }
        return SelectorTarget(
            type: owner, method: method, parameter: .none,
            isOverloaded: method.node.signature.returnClause == nil, needsType: true)
    }

    /// The other methods of the same name that are seen through a type.
    private func overloads(of method: MethodInfo, in type: TypeInfo) -> [MethodInfo] {
        index.chain(of: type).flatMap(\.methods).filter {
            $0 !== method && $0.name == method.name && !$0.isLeftOut
                && !(method.isOverride && $0.labels == method.labels)
                && !$0.isCopy(of: method)
        }
    }

    private func one(
        of methods: [MethodInfo], _ cast: String?, _ name: String
    ) throws(Obstacle) -> MethodInfo {
        if let first = methods.first, methods.allSatisfy({ $0 === first || $0.isCopy(of: first) }) {
            return first
        }
        let fitting = methods.filter { method in
            // Without a type, the one that Objective-C sees is meant.
            guard let cast else { return method.attribute("objc") != nil }
            let types = method.node.signature.parameterClause.parameters.map(
                \.type.trimmedDescription)
            return cast.hasSuffix("(" + types.joined(separator: ", ") + ") -> Void")
                || cast.hasSuffix("(" + types.joined(separator: ", ") + ") -> ()")
        }
        guard fitting.count == 1 else {
            throw Obstacle(
                .selectorAmbiguous, "several methods are called `\(name)`: write which is meant")
        }
        return fitting[0]
    }

    /// A notification's type without the module before it: `Foundation`, or one that exports all of
    /// it.
    private static func withoutModule(_ type: String) -> String {
        let modules = ["Foundation", "SwiftUI", "UIKit", "AppKit", "Cocoa", "WatchKit", "CoreData"]
        let parts = type.split(separator: ".", maxSplits: 1).map(String.init)
        guard parts.count == 2, modules.contains(parts[0]),
            parts[1].hasPrefix("Notification") || parts[1].hasPrefix("NSNotification")
        else { return type }
        return parts[1]
    }

    private func parameter(
        of method: MethodInfo, in type: TypeInfo
    ) throws(Obstacle) -> SelectorTarget.Parameter {
        let signature = method.node.signature
        func refuse(_ why: String) -> Obstacle {
            Obstacle(
                .methodSignature,
                "`\(type.name).\(method.name)` \(why): observe with a closure and `[weak self]`")
        }
        if signature.effectSpecifiers?.asyncSpecifier != nil { throw refuse("is asynchronous") }
        if signature.effectSpecifiers?.throwsClause != nil { throw refuse("throws") }
        if method.node.genericParameterClause != nil { throw refuse("is generic") }
        let parameters = signature.parameterClause.parameters
        guard let only = parameters.first else { return .none }
        guard parameters.count == 1 else { throw refuse("takes \(parameters.count) parameters") }
        guard only.ellipsis == nil else { throw refuse("takes any number of parameters") }
        func isOwn(_ name: String) -> Bool { index.hasOwnType(name, at: only, in: method.file) }
        let written = only.type.trimmedDescription
        let type = Self.withoutModule(written)
        let isNamedWithModule = type != written
        switch type {
        case "Notification" where isNamedWithModule || !isOwn("Notification"):
            return .notification
        case "NSNotification" where isNamedWithModule || !isOwn("NSNotification"):
            return .nsNotification
        case "Any", "Any?", "Any!", "Notification?", "Notification!": return .anyNotification
        case "AnyObject", "AnyObject?", "AnyObject!", "NSObject", "NSObject?", "NSNotification?",
            "NSNotification!":
            return .anyObject
        case let other where isOwn(other) && ["Notification", "NSNotification"].contains(other):
            throw refuse("takes a `\(other)` that is the module's own, not Foundation's")
        case let other: throw refuse("takes a `\(other)`, not a `Notification`")
        }
    }
}
