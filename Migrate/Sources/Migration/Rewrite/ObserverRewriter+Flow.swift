// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwiftSyntax

extension ObserverRewriter {
    /// Turns selectors that reach calls through parameters, or lists, into methods.
    func rewrite(_ call: SelectorCall, through flow: SelectorFlow) throws(Obstacle) {
        let methods = try methods(of: flow, in: call)
        guard let methods, !isDistributed(call) else { return }
        var forms: [ObserverForm] = []
        for reached in flow.calls {
            try check(reached, takes: methods)
            forms.append(
                try ObserverForm(
                    call: reached, target: methods.model.target, module: module, mode: mode,
                    file: work.file, options: options, hasTwin: false, isDistributed: false,
                    through: methods.through(reached)))
        }
        guard let type = forms.first?.methodType,
            !flow.sources.contains(where: { $0.node.hasInnerComments })
        else { throw unfollowed(call) }
        let texts = methods.all.map { methods.text(for: $0, module, mode) }
        var edits = zip(flow.sources, texts).map {
            (work: $0.work, edit: Edit(range: $0.node.range, text: $1))
        }
        for form in forms { edits += try form.edits().map { (work, $0) } }
        edits += methods.edits(of: flow, type: type).map { (work, $0) }
        guard FileWork.edit(edits) else {
            throw Obstacle(
                .callForm, "the call stands inside another that is changed: run this again")
        }
        report(methods, texts, forms)
    }

    private func report(_ methods: FlowMethods, _ texts: [String], _ forms: [ObserverForm]) {
        for (method, text) in zip(methods.all, texts) {
            let source = method.source
            selectors.converted(source.node, to: method.target)
            source.work.report(
                .changed, .selector, at: source.node, "the selector became `\(text)`")
        }
        for form in forms {
            changedWithOthers.insert(form.call.node.id)
            work.report(
                .changed, form.usesObserve ? .observe : .selector, at: form.call.callee,
                "`\(form.call.selector.trimmedDescription)` is a method now")
        }
    }

    /// Reports the calls that give a selector to a method with an observer that stays.
    func reportCalls(givingTo call: SelectorCall) {
        guard let name = call.selector.as(DeclReferenceExprSyntax.self),
            let parameter = work.resolver.variable(named: name.baseName.text, at: name)?.node
                .as(FunctionParameterSyntax.self),
            SelectorFlow.Kind.selectors.fits(parameter.type),
            let helper = SelectorHelper(parameter, in: work)
        else { return }
        for given in HelperCalls.understood(of: helper, in: scope)
        where SelectorFlow.Kind.selectors.fits(given.selector)
            && selectors.stays(given.selector)
        {
            given.work.report(
                .left, .selectorVariable, at: given.selector,
                "`\(given.selector.trimmedDescription)` goes to `\(helper.name)`, whose `Selector` stays (\(work.place(of: helper.function.name)))"
            )
        }
    }

    /// The methods that the selectors of a flow name; nil if no type has the call.
    private func methods(
        of flow: SelectorFlow, in call: SelectorCall
    ) throws(Obstacle) -> FlowMethods? {
        guard let owner = module.enclosingType(of: call.node) else { return nil }
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
            let receiver = source.receiver ?? owner
            guard module.inherits(receiver, from: target.type) else {
                throw call.differ(
                    "`\(target.type.name).\(target.method.name)` is none of `\(receiver.name)`")
            }
            methods.append(
                .init(
                    source: source, target: target,
                    type: module.inherits(target.type, from: owner) ? target.type : receiver))
        }
        guard flow.calls.contains(where: { $0.node.id == call.node.id }) else {
            throw unfollowed(call)
        }
        return try FlowMethods(methods, observing: owner, through: flow, in: call)
    }

    /// Whether a call can take each of some methods in place of the other.
    private func check(
        _ call: SelectorCall, takes methods: FlowMethods
    ) throws(Obstacle) {
        guard try isCenter(of: call), call.hasKnownForm, !isDistributed(call) else {
            throw unfollowed(call)
        }
        try checkNames(of: call)
        let owner = methods.owner
        if mode == .v6, owner.kind == .protocol, !owner.inheritance.contains("Sendable") {
            // An actor before the protocol says nothing of the types that conform to it.
            throw Obstacle(
                .observerNotSendable,
                "`\(owner.name)` does not ask for `Sendable`, as Swift 6 does of an observer: write it after the protocol's colon"
            )
        }
        let model = methods.model.target
        let isolation = module.isolation(of: model.method, in: model.type)
        for method in methods.all {
            let target = method.target
            try checkObserver(of: call, takes: target, of: method.type)
            guard module.isolation(of: target.method, in: target.type) == isolation else {
                throw call.differ("some belong to an actor to which others don't")
            }
            guard !target.type.isGeneric, !method.type.isGeneric else {
                throw call.differ("some belong to `\(target.type.name)`, which is generic")
            }
            guard !hasTwin(target), methods.owner === module.enclosingType(of: call.node) else {
                throw call.differ(
                    "the Swift 5 mode can't tell some from main-actor methods with the same parameters"
                )
            }
        }
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
