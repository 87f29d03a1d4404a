// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwiftSyntax

/// A method with a parameter for a selector, which it gives to observers or to other such methods.
struct SelectorHelper {
    let function: FunctionDeclSyntax
    let body: CodeBlockSyntax
    /// The type that has the method.
    let type: TypeInfo
    /// The place of the parameter among all parameters.
    let place: Int
    let parameters: [FunctionParameterSyntax]
    let parameter: FunctionParameterSyntax
    /// The file that declares the method.
    let work: FileWork
    let access: Access

    var name: String { function.name.text }
    var labels: [String] { parameters.map(\.firstName.text) }
    var isStatic: Bool {
        function.modifiers.contains { ["static", "class"].contains($0.name.text) }
    }
    /// The name of the parameter inside the method.
    var parameterName: String { (parameter.secondName ?? parameter.firstName).text }

    /// The method of a parameter; nil if it is none.
    init?(_ parameter: FunctionParameterSyntax, in work: FileWork) {
        guard
            let function = parameter.parent?.parent?.parent?.parent?.as(FunctionDeclSyntax.self),
            let body = function.body, let type = work.module.enclosingType(of: function),
            function.parent?.is(MemberBlockItemSyntax.self) == true
        else { return nil }
        let all = Array(function.signature.parameterClause.parameters)
        guard let place = all.firstIndex(where: { $0.id == parameter.id }) else { return nil }
        (self.function, self.body, self.type) = (function, body, type)
        (self.place, parameters) = (place, all)
        (self.parameter, self.work) = (parameter, work)
        let declared = type.methods.first { $0.node.id == function.id }?.access ?? .internal
        access = type.kind == .outside ? declared : min(declared, type.access)
    }

    // MARK: - Reasons

    /// Throws if calls of the method can't be found by its name, or all be changed. A static method
    /// has to be given the observer.
    func check(in scope: FlowScope, isGivenObserver: Bool) throws(Obstacle) {
        if isStatic, !isGivenObserver { throw refusal("which is static") }
        if let reason = reasonToStay { throw refusal(reason) }
        if access > .fileprivate, let reason = reasonToStay(in: scope) { throw refusal(reason) }
    }

    /// An obstacle that says why the selector stays: "`action` comes from calls of `listen`, …".
    func refusal(_ why: String) -> Obstacle {
        Obstacle(
            .selectorVariable,
            "`\(parameterName)` comes from calls of `\(name)`, \(why): let it take a method in place of the `Selector`"
        )
    }

    private var reasonToStay: String? {
        for modifier in ["override", "dynamic"]
        where function.modifiers.contains(where: { $0.name.text == modifier }) {
            return "which is `\(modifier)`"
        }
        for attribute in function.attributes.names
        where !["MainActor", "discardableResult"].contains(attribute) {
            return "which is `@\(attribute)`"
        }
        guard parameters.allSatisfy({ $0.defaultValue == nil && $0.ellipsis == nil }) else {
            return "which can be called with fewer arguments"
        }
        guard type.methods.filter(mayBeMeant).count == 1 else { return "which is overloaded" }
        return nil
    }

    /// The reason that comes from declarations in other files.
    private func reasonToStay(in scope: FlowScope) -> String? {
        guard access == .internal else { return "which code outside the module may call" }
        // Objective-C may call what is exposed to it.
        let attributes = function.ancestors.lazy.compactMap { $0.as(ExtensionDeclSyntax.self) }
            .first?.attributes
        if type.isObjcMembers || attributes?.named("objc") != nil {
            return "which Objective-C may call"
        }
        if scope.hasDamaged(mentioning: name) { return "and a file with a syntax error names it" }
        if scope.isRequired(name) { return "and a protocol asks for such a method" }
        if hasRelatives { return "and classes before or after `\(type.name)` have one, too" }
        if scope.isUsedByTests(name, of: work.module) { return "and tests use such a method" }
        return nil
    }

    /// Whether a call with the labels of the method may mean another one.
    func mayBeMeant(_ method: MethodInfo) -> Bool {
        method.name == name && method.mayTake(labels)
    }

    /// Whether a class before or after the type has such a method, or one of them a variable of the
    /// name.
    private var hasRelatives: Bool {
        let module = work.module
        return module.types.values.joined().contains { other in
            (other !== type && other.methods.contains(where: mayBeMeant)
                || other.variables.contains { $0.name == name })
                && (module.inherits(other, from: type) || module.inherits(type, from: other))
        }
    }
}
