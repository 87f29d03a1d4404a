// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwiftSyntax

/// Follows selectors from their uses back to `#selector`, and on to their other uses.
struct SelectorTracer {
    let kind: SelectorFlow.Kind
    let package: PackageIndex
    let work: FileWork
    private(set) var flow = SelectorFlow()
    /// The parameters that were followed.
    private var parameters: Set<SyntaxIdentifier> = []
    /// The elements of lists that were followed.
    private var elements: Set<SelectorList.Element> = []

    init(kind: SelectorFlow.Kind, package: PackageIndex, work: FileWork) {
        self.kind = kind
        self.package = package
        self.work = work
    }

    /// Whether a parameter or a list lies between the sources and the observers.
    var isFlow: Bool { !parameters.isEmpty || !elements.isEmpty }

    /// Follows an expression to all its sources. Returns false if something is not understood.
    mutating func follow(_ expression: ExprSyntax) -> Bool {
        if let (list, element) = SelectorList.element(expression, in: work) {
            return follow(element, of: list)
        }
        if let parameter = expression.as(DeclReferenceExprSyntax.self).flatMap(parameter) {
            return follow(parameter)
        }
        guard kind.fits(expression), !work.file.leavesOut(expression) else { return false }
        flow.sources.append(expression)
        return true
    }

    // MARK: - Parameters

    private func parameter(_ reference: DeclReferenceExprSyntax) -> FunctionParameterSyntax? {
        work.resolver.variable(named: reference.baseName.text, at: reference)?.node
            .as(FunctionParameterSyntax.self)
    }

    /// Follows a parameter to what all calls give for it, and to all its uses.
    private mutating func follow(_ parameter: FunctionParameterSyntax) -> Bool {
        guard parameters.insert(parameter.id).inserted else { return true }
        guard
            let function = parameter.ancestors.lazy.compactMap({ $0.as(FunctionDeclSyntax.self) })
                .first,
            let type = work.module.enclosingType(of: function), let body = function.body,
            function.parent?.is(MemberBlockItemSyntax.self) == true, function.attributes.isEmpty,
            !function.modifiers.contains(where: {
                ["static", "class", "override"].contains($0.name.text)
            }),
            type.methods.filter({ $0.name == function.name.text }).count == 1,
            isSeenHereAlone(function, of: type), kind.fits(parameter.type)
        else { return false }
        let all = Array(function.signature.parameterClause.parameters)
        guard all.allSatisfy({ $0.defaultValue == nil && $0.ellipsis == nil }),
            let place = all.firstIndex(where: { $0.id == parameter.id })
        else { return false }
        flow.written.append(.init(type: parameter.type, isParameter: true))
        let name = (parameter.secondName ?? parameter.firstName).text
        for use in NameUses.of(name, in: body) {
            guard self.parameter(use)?.id == parameter.id, reaches(ExprSyntax(use)) else {
                return false
            }
        }
        return follow(callsOf: function, of: type, place, labels: all.map(\.firstName.text))
    }

    /// Whether no other file calls a method, or declares a protocol that asks for it.
    private func isSeenHereAlone(_ function: FunctionDeclSyntax, of type: TypeInfo) -> Bool {
        let access = Access(function.modifiers) ?? .internal
        if access <= .fileprivate { return true }
        // Objective-C may call what `@objcMembers` exposes.
        guard access == .internal, !type.isObjcMembers else { return false }
        let name = function.name.text
        return package.modules.allSatisfy { module in
            module.files.allSatisfy { $0 === work.file || !$0.mentions([name]) }
                && !module.types.values.joined().contains { type in
                    type.kind == .protocol && type.methods.contains { $0.name == name }
                }
        }
    }

    /// Follows what all calls of a method have at a place.
    private mutating func follow(
        callsOf function: FunctionDeclSyntax, of type: TypeInfo, _ place: Int, labels: [String]
    ) -> Bool {
        for use in NameUses.of(function.name.text, in: work.file.tree) {
            var callee = ExprSyntax(use)
            if let member = use.parent?.as(MemberAccessExprSyntax.self),
                member.declName.id == use.id
            {
                guard member.base?.trimmedDescription == "self" else {
                    if isAnother(member, than: type, labels: labels) { continue }
                    return false
                }
                callee = ExprSyntax(member)
            }
            guard work.module.enclosingType(of: use) === type,
                let call = callee.parent?.as(FunctionCallExprSyntax.self),
                call.calledExpression.id == callee.id, call.trailingClosure == nil,
                call.arguments.map({ $0.label?.text ?? "_" }) == labels,
                follow(Array(call.arguments)[place].expression)
            else { return false }
        }
        return true
    }

    /// Whether a member is not the method of a type that has the labels, but that of another object.
    private func isAnother(
        _ member: MemberAccessExprSyntax, than type: TypeInfo, labels: [String]
    ) -> Bool {
        guard let base = member.base else { return false }
        if case .instance(let found) = work.resolver.type(of: base).unwrapped {
            return !work.module.chain(of: found).contains { $0 === type }
        }
        guard !base.is(SuperExprSyntax.self),
            let call = member.parent?.as(FunctionCallExprSyntax.self)
        else { return false }
        return call.arguments.map { $0.label?.text ?? "_" } != labels
    }

    /// Follows a use of a value on to observers. Returns false if something else may happen to it.
    private mutating func reaches(_ use: ExprSyntax) -> Bool {
        // Methods in place of selectors were followed by the run that wrote them.
        if kind == .methods { return true }
        guard let argument = use.parent?.as(LabeledExprSyntax.self),
            let call = argument.parent?.parent?.as(FunctionCallExprSyntax.self),
            let place = Array(call.arguments).firstIndex(where: { $0.id == argument.id })
        else { return false }
        if let observing = SelectorCall(call), argument.label?.text == "selector" {
            flow.calls.append(observing)
            return true
        }
        guard let name = call.ownCallee, let type = work.module.enclosingType(of: call) else {
            return false
        }
        let methods = type.methods.filter { $0.name == name }
        guard methods.count == 1, methods[0].file === work.file else { return false }
        let parameters = Array(methods[0].node.signature.parameterClause.parameters)
        return parameters.count == call.arguments.count && follow(parameters[place])
    }

    // MARK: - Lists

    /// Follows an element of a list to all sources, and to all its uses.
    private mutating func follow(_ element: SelectorList.Element, of list: SelectorList) -> Bool {
        guard elements.insert(element).inserted else { return true }
        if list.annotation != nil {
            guard let type = list.type(of: element.place), kind.fits(type) else { return false }
            flow.written.append(.init(type: type, isParameter: false))
        }
        guard let values = list.values(of: element.place) else { return false }
        for value in values where !follow(value) { return false }
        for use in list.uses {
            guard let loop = SelectorLoop(over: use),
                let found = loop.uses(of: element.place, labels: list.labels)
            else { return false }
            for value in found where !reaches(value) { return false }
        }
        return true
    }
}

extension FunctionCallExprSyntax {
    /// The name of a method that the call calls on `self`, where it has no trailing closure.
    fileprivate var ownCallee: String? {
        guard trailingClosure == nil else { return nil }
        if let member = calledExpression.as(MemberAccessExprSyntax.self) {
            return member.base?.trimmedDescription == "self" ? member.declName.baseName.text : nil
        }
        return calledExpression.as(DeclReferenceExprSyntax.self)?.baseName.text
    }
}
