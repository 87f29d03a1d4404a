// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwiftSyntax

/// Follows selectors from their uses back to `#selector`, and on to their other uses.
struct SelectorTracer {
    let kind: SelectorFlow.Kind
    let scope: FlowScope
    /// The file with the observers, which has all methods and lists on the way.
    let work: FileWork
    /// The obstacle where something is not understood that no parameter explains.
    private let unfollowed: Obstacle
    private(set) var flow = SelectorFlow()
    /// The parameters that were followed.
    private var parameters: Set<SyntaxIdentifier> = []
    /// The elements of lists that were followed.
    private var elements: Set<SelectorList.Element> = []

    init(
        into expression: ExprSyntax, kind: SelectorFlow.Kind, scope: FlowScope, work: FileWork
    ) {
        unfollowed = SelectorFlow.unfollowed(expression.trimmedDescription)
        self.kind = kind
        self.scope = scope
        self.work = work
    }

    /// Whether a parameter or a list lies between the sources and the observers.
    var isFlow: Bool { !parameters.isEmpty || !elements.isEmpty }

    /// Follows an expression to all its sources. Throws if something is not understood.
    mutating func follow(_ expression: ExprSyntax) throws(Obstacle) {
        if let (list, element) = SelectorList.element(expression, in: work) {
            return try follow(element, of: list)
        }
        if let parameter = expression.as(DeclReferenceExprSyntax.self).flatMap(parameter) {
            return try follow(parameter)
        }
        guard kind.fits(expression), !work.file.leavesOut(expression) else { throw unfollowed }
        flow.sources.append(.init(node: expression, work: work, receiver: nil))
    }

    // MARK: - Parameters

    private func parameter(_ reference: DeclReferenceExprSyntax) -> FunctionParameterSyntax? {
        work.resolver.variable(named: reference.baseName.text, at: reference)?.node
            .as(FunctionParameterSyntax.self)
    }

    /// Follows a parameter to what all calls give for it, and to all its uses.
    mutating func follow(_ parameter: FunctionParameterSyntax) throws(Obstacle) {
        guard kind.fits(parameter.type) else { throw unfollowed }
        // Methods in place of selectors were followed by the run that wrote them.
        guard parameters.insert(parameter.id).inserted, kind == .selectors else { return }
        guard let helper = SelectorHelper(parameter, in: work) else { throw unfollowed }
        flow.written.append(.init(type: parameter.type, function: helper.function))
        for use in NameUses.of(helper.parameterName, in: helper.body) {
            guard self.parameter(use)?.id == parameter.id, try reaches(ExprSyntax(use)) else {
                throw helper.refusal("which uses it in another way, in \(work.place(of: use))")
            }
        }
        try findObserver(of: helper)
        try helper.check(in: scope, isGivenObserver: flow.observer != nil)
        for call in try HelperCalls.of(helper, in: scope) { try follow(call, of: helper) }
    }

    /// Finds the parameter that has the observer of a helper, if one does.
    private mutating func findObserver(of helper: SelectorHelper) throws(Obstacle) {
        let own = flow.calls.filter { helper.function.range.contains($0.node.range.lowerBound) }
        let given = own.map { call in
            call.observer.as(DeclReferenceExprSyntax.self).flatMap(parameter).flatMap {
                helper.parameters.contains($0) ? $0 : nil
            }
        }
        guard let observer = given.lazy.compactMap({ $0 }).first else { return }
        guard given.allSatisfy({ $0?.id == observer.id }), flow.written.count == 1 else {
            throw helper.refusal("which gives it to several observers")
        }
        flow.observer = observer
    }

    /// Follows what a call gives for the parameter of a helper.
    private mutating func follow(
        _ call: HelperCalls.Call, of helper: SelectorHelper
    ) throws(Obstacle) {
        let given = call.selector
        if kind.fits(given) {
            let receiver = try receiver(of: call, helper)
            flow.sources.append(.init(node: given, work: call.work, receiver: receiver))
            return
        }
        let isOwn = flow.observer == nil && call.work === work && call.receiver === helper.type
        if isOwn, SelectorList.element(given, in: work) != nil { return try follow(given) }
        guard isOwn, let next = given.as(DeclReferenceExprSyntax.self).flatMap(parameter) else {
            throw helper.refusal(
                "and the call in \(call.work.place(of: given)) gives no `#selector`")
        }
        try follow(next)
    }

    /// The class of the observer of a call.
    private func receiver(
        of call: HelperCalls.Call, _ helper: SelectorHelper
    ) throws(Obstacle) -> TypeInfo {
        guard let observer = flow.observer,
            let place = helper.parameters.firstIndex(of: observer)
        else { return call.receiver }
        let given = call.arguments[place]
        guard case .instance(let type) = call.work.resolver.type(of: given),
            type.kind == .class || type.kind == .outside
        else {
            throw helper.refusal(
                "and the class of `\(given.trimmedDescription)`, in \(call.work.place(of: given)), is not known"
            )
        }
        return type
    }

    /// Follows a use of a value on to observers. Returns false if something else may happen to it.
    private mutating func reaches(_ use: ExprSyntax) throws(Obstacle) -> Bool {
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
        guard parameters.count == call.arguments.count else { return false }
        try follow(parameters[place])
        return true
    }

    // MARK: - Lists

    /// Follows an element of a list to all sources, and to all its uses.
    private mutating func follow(
        _ element: SelectorList.Element, of list: SelectorList
    ) throws(Obstacle) {
        guard elements.insert(element).inserted else { return }
        if list.annotation != nil {
            guard let type = list.type(of: element.place), kind.fits(type) else { throw unfollowed }
            flow.written.append(.init(type: type, function: nil))
        }
        guard let values = list.values(of: element.place) else { throw unfollowed }
        for value in values { try follow(value) }
        for use in list.uses {
            guard let loop = SelectorLoop(over: use),
                let found = loop.uses(of: element.place, labels: list.labels)
            else { throw unfollowed }
            for value in found {
                guard try reaches(value) else { throw unfollowed }
            }
        }
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
