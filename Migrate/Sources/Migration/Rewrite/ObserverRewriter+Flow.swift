// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwiftSyntax

extension ObserverRewriter {
    /// Turns selectors that reach calls through parameters, or lists, into methods.
    func rewrite(_ call: SelectorCall, through flow: SelectorFlow) throws(Obstacle) {
        let targets = try targets(of: flow, in: call)
        guard let first = targets.first, !isDistributed(call) else { return }
        var forms: [ObserverForm] = []
        for reached in flow.calls {
            try check(reached, takes: targets)
            forms.append(
                try ObserverForm(
                    call: reached, target: first, module: module, mode: mode, file: work.file,
                    options: options, hasTwin: false, isDistributed: false,
                    through: reached.selector.trimmedDescription))
        }
        guard let type = forms.first?.methodType, !flow.sources.contains(where: \.hasInnerComments)
        else { throw unfollowed(call) }
        let references = zip(targets, flow.sources).map { target, source in
            ObserverForm.reference(
                to: target,
                isMain: module.isolation(of: target.method, in: target.type) == .mainActor,
                mode: mode, NotificationTypes(at: source, in: work.file, of: module))
        }
        var edits = zip(flow.sources, references).map { Edit(range: $0.range, text: $1) }
        for form in forms { edits += try form.edits() }
        for written in flow.written {
            let escaping = written.isParameter ? "@escaping " : ""
            edits.append(Edit(range: written.type.range, text: escaping + type))
        }
        guard work.edit(edits) else {
            throw Obstacle(
                .callForm, "the call stands inside another that is changed: run this again")
        }
        for (source, (reference, target)) in zip(flow.sources, zip(references, targets)) {
            selectors.converted(source, to: target)
            work.report(.changed, .selector, at: source, "the selector became `\(reference)`")
        }
        for form in forms {
            changedWithOthers.insert(form.call.node.id)
            work.report(
                .changed, form.usesObserve ? .observe : .selector, at: form.call.callee,
                "`\(form.call.selector.trimmedDescription)` is a method now")
        }
    }

    /// The methods that the selectors of a flow name.
    private func targets(
        of flow: SelectorFlow, in call: SelectorCall
    ) throws(Obstacle) -> [SelectorTarget] {
        let resolver = SelectorResolver(resolver: work.resolver)
        var targets: [SelectorTarget] = []
        for source in flow.sources {
            if !options.apple, let beside = source.elementOrCall,
                let name = AppleNames.first(in: beside, module: module, file: work.file)
            {
                throw Obstacle(
                    .nameApple, "`\(name)` exists on Apple's systems only, and nobody posts it here"
                )
            }
            targets.append(try resolver.target(of: source))
        }
        guard flow.calls.contains(where: { $0.node.id == call.node.id }) else {
            throw unfollowed(call)
        }
        return targets
    }

    /// Whether a call can take each of some methods in place of the other.
    private func check(
        _ call: SelectorCall, takes targets: [SelectorTarget]
    ) throws(Obstacle) {
        guard try isCenter(of: call), call.hasKnownForm, !isDistributed(call) else {
            throw unfollowed(call)
        }
        try checkNames(of: call)
        for target in targets {
            try checkObserver(of: call, takes: target)
            let first = targets[0]
            let isAlike =
                target.type === first.type && target.parameter == first.parameter
                && module.isolation(of: target.method, in: target.type)
                    == module.isolation(of: first.method, in: first.type)
            guard isAlike, !target.type.isGeneric, !hasTwin(target),
                target.type === module.enclosingType(of: call.node)
            else {
                throw Obstacle(
                    .selectorVariable,
                    "the methods that `\(call.selector.trimmedDescription)` may be differ, or belong to another class: write each with its class, in a call of its own"
                )
            }
        }
    }

    private func unfollowed(_ call: SelectorCall) -> Obstacle {
        Obstacle(
            .selectorVariable,
            "`\(call.selector.trimmedDescription)` is no constant whose method can be found: write the method with its class, as in `Controller.changed`"
        )
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
