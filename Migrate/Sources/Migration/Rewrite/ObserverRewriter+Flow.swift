// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwiftSyntax

extension ObserverRewriter {
    /// The changes for one flow.
    private struct Plan {
        let methods: FlowMethods
        let texts: [String]
        let forms: [ObserverForm]
        var edits: [(work: FileWork, edit: Edit)] = []
    }

    /// Turns selectors that reach calls through parameters, or lists, into methods.
    func rewrite(_ call: SelectorCall, through flow: SelectorFlow) throws(Obstacle) {
        guard !isDistributed(call) else { return }
        var plans = [try plan(flow, in: call)]
        // A method with several selectors changes as a whole, or stays.
        for parameter in flow.others {
            let other = try SelectorFlow.through(parameter, in: scope, work)
            guard let first = other.calls.first else { throw unfollowed(call) }
            plans.append(try plan(other, in: first))
        }
        guard FileWork.edit(plans.flatMap(\.edits)) else {
            throw Obstacle(
                .callForm, "the call stands inside another that is changed: run this again")
        }
        for plan in plans { report(plan) }
    }

    private func plan(_ flow: SelectorFlow, in call: SelectorCall) throws(Obstacle) -> Plan {
        let methods = try methods(of: flow, in: call)
        var forms: [ObserverForm] = []
        for reached in flow.calls {
            try check(reached, takes: methods)
            forms.append(
                try ObserverForm(
                    call: reached, target: methods.model.target, module: module, mode: mode,
                    file: work.file, blocks: work.uses.blocks, options: options, hasTwin: false,
                    isDistributed: false, through: methods.through(reached)))
        }
        guard let type = forms.first?.methodType,
            !flow.sources.contains(where: { $0.node.hasInnerComments })
        else { throw unfollowed(call) }
        let texts = methods.all.map { methods.text(for: $0, module, mode) }
        var plan = Plan(methods: methods, texts: texts, forms: forms)
        plan.edits = zip(flow.sources, texts).map {
            ($0.work, Edit(range: $0.node.range, text: $1))
        }
        for form in forms { plan.edits += try form.edits().map { (work, $0) } }
        plan.edits += methods.edits(of: flow, type: type).map { (work, $0) }
        return plan
    }

    private func report(_ plan: Plan) {
        for (method, text) in zip(plan.methods.all, plan.texts) {
            let source = method.source
            selectors.converted(source.node, to: method.target)
            source.work.report(
                .changed, .selector, at: source.node, "the selector became `\(text)`")
        }
        for form in plan.forms {
            scope.changed.insert(form.call.node.id)
            work.report(
                .changed, form.usesObserve ? .observe : .selector, at: form.call.callee,
                "`\(form.call.selector.trimmedDescription)` is a method now")
        }
    }

    /// Reports the calls that give a selector to a method with an observer that stays.
    func reportCalls(givingTo call: SelectorCall) {
        guard let parameter = parameter(givenTo: call),
            SelectorFlow.Kind.selectors.fits(parameter.type),
            let helper = SelectorHelper(parameter, in: work)
        else { return }
        for given in HelperCalls.understood(of: helper, in: scope)
        where SelectorFlow.Kind.selectors.fits(given.selector) {
            // A method called `addObserver` has a line for each of its calls already.
            let outer = given.selector.ancestors.lazy.compactMap {
                $0.as(FunctionCallExprSyntax.self)
            }.first
            if outer.map({ SelectorCall($0) != nil }) == true || !selectors.stays(given.selector) {
                continue
            }
            given.work.report(
                .left, .selectorVariable, at: given.selector,
                "`\(given.selector.trimmedDescription)` goes to `\(helper.name)`, whose `Selector` stays (\(work.place(of: helper.function.name)))"
            )
        }
    }

    /// The parameter that a call has as its selector.
    func parameter(givenTo call: SelectorCall) -> FunctionParameterSyntax? {
        guard call.arguments.count > 1,
            let name = call.selector.as(DeclReferenceExprSyntax.self)
        else { return nil }
        return work.resolver.variable(named: name.baseName.text, at: name)?.node
            .as(FunctionParameterSyntax.self)
    }

    /// The methods that the selectors of a flow name.
    private func methods(
        of flow: SelectorFlow, in call: SelectorCall
    ) throws(Obstacle) -> FlowMethods {
        guard let observers = FlowObservers(of: flow, in: work, mode: mode) else {
            throw unfollowed(call)
        }
        var methods: [FlowMethods.Method] = []
        for source in flow.sources {
            let file = source.work.file
            if !options.apple, let beside = source.node.elementOrCall,
                let name = AppleNames.first(in: beside, module: module, file: file)
            {
                throw Obstacle(
                    .nameApple, "`\(name)` exists on Apple's systems only, and nobody posts it here"
                )
            }
            let target = try SelectorResolver(resolver: source.work.resolver)
                .target(of: source.node)
            guard let receiver = source.receiver ?? observers.type else { throw unfollowed(call) }
            guard module.inherits(receiver, from: target.type) else {
                throw call.differ(
                    "`\(target.type.name).\(target.method.name)` is none of `\(receiver.name)`")
            }
            // The class that declares the method may be one before that of the observers.
            let isInBound =
                observers.type.map { module.inherits(target.type, from: $0) }
                ?? (target.type.kind != .outside)
            methods.append(
                .init(
                    source: source, target: target, type: isInBound ? target.type : receiver,
                    isMain: module.isolation(of: target.method, in: target.type) == .mainActor))
        }
        guard flow.calls.contains(where: { $0.node.id == call.node.id }) else {
            throw unfollowed(call)
        }
        return try FlowMethods(methods, of: observers, through: flow, in: call)
    }

    /// Whether a call can take each of some methods in place of the other.
    private func check(
        _ call: SelectorCall, takes methods: FlowMethods
    ) throws(Obstacle) {
        guard try isCenter(of: call), call.hasKnownForm, !isDistributed(call) else {
            throw unfollowed(call)
        }
        try checkNames(of: call)
        try checkSelf(of: methods.observers)
        guard mode == .v5 || !methods.isMixed else {
            // The Swift 6 mode has no registration for both.
            throw call.differ("some belong to the main actor, and others don't")
        }
        for method in methods.all {
            let target = method.target
            if methods.observers.isParameter {
                try check(target, calledOn: method.type)
            } else {
                try checkObserver(of: call, takes: target, of: method.type)
            }
            guard !target.type.isGeneric, !method.type.isGeneric else {
                throw call.differ("some belong to `\(target.type.name)`, which is generic")
            }
            let observers = methods.observers
            guard observers.isParameter || observers.type === module.enclosingType(of: call.node)
            else { throw unfollowed(call) }
            guard !hasTwin(target, onBothSides: methods.isMixed) else {
                throw call.differ(
                    "the Swift 5 mode can't tell some from main-actor methods with the same parameters"
                )
            }
        }
    }

    /// Throws if `self` of an extension of a protocol can't be an observer.
    private func checkSelf(of observers: FlowObservers) throws(Obstacle) {
        guard mode == .v6, observers.haveSelf, let type = observers.type,
            !type.inheritance.contains("Sendable")
        else { return }
        // An actor before the protocol says nothing of the types that conform to it.
        throw Obstacle(
            .observerNotSendable,
            "`\(type.name)` does not ask for `Sendable`, as Swift 6 does of an observer: write it after the protocol's colon"
        )
    }

    private func unfollowed(_ call: SelectorCall) -> Obstacle {
        SelectorFlow.unfollowed(call.selector.trimmedDescription)
    }
}

extension ExprSyntax {
    /// The element of a list, or the call, of which the expression is a part.
    fileprivate var elementOrCall: ExprSyntax? {
        for ancestor in ancestors.prefix(3) {
            if let element = ancestor.as(DictionaryElementSyntax.self) { return element.key }
            if ancestor.is(TupleExprSyntax.self) || ancestor.is(FunctionCallExprSyntax.self) {
                return ancestor.as(ExprSyntax.self)
            }
        }
        return nil
    }
}
