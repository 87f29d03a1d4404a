// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwiftSyntax

/// Turns the selectors of observers into methods.
final class ObserverRewriter: SyntaxVisitor {
    let work: FileWork
    let module: ModuleIndex
    let options: MigrationOptions
    let mode: LanguageMode
    let selectors: SelectorUses
    let scope: FlowScope
    private var package: PackageIndex { scope.package }
    /// Whether only calls are changed whose selectors come through parameters, and nothing is
    /// reported that stays. Other calls may give the selectors, also some that look like calls of a
    /// center.
    private let isForHelpers: Bool

    init(
        work: FileWork, scope: FlowScope, options: MigrationOptions, mode: LanguageMode,
        selectors: SelectorUses, isForHelpers: Bool
    ) {
        self.isForHelpers = isForHelpers
        self.work = work
        self.scope = scope
        module = work.module
        self.options = options
        self.mode = mode
        self.selectors = selectors
        super.init(viewMode: .sourceAccurate)
    }

    override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
        if let call = SelectorCall(node), !work.file.leavesOut(call.node), !isChanged(call),
            !isForHelpers || parameter(givenTo: call) != nil
        {
            do throws(Obstacle) {
                try rewrite(call)
            } catch {
                guard !isForHelpers, !performs(call, insteadOf: error) else {
                    return .visitChildren
                }
                work.report(
                    options.apple && error.code == .otherCenter ? .note : .left, error.code,
                    at: call.callee, error.message)
                reportCalls(givingTo: call)
            }
        }
        return .visitChildren
    }

    /// Whether a call was changed with others, or gives a selector that was.
    private func isChanged(_ call: SelectorCall) -> Bool {
        scope.changed.contains(call.node.id)
            || call.arguments.contains { selectors.isConverted($0.expression) }
    }

    private func rewrite(_ call: SelectorCall) throws(Obstacle) {
        guard !isMethod(call), try isCenter(of: call), call.arguments.count > 1,
            !isMethodValue(call)
        else { return }
        guard call.hasKnownForm else {
            throw Obstacle(
                .callForm,
                "the call has other arguments than `addObserver(_:selector:name:object:)`")
        }
        try checkNames(of: call)
        if !options.darwin, let flow = try SelectorFlow.into(call.selector, in: scope, work) {
            return try rewrite(call, through: flow)
        }
        let target = try SelectorResolver(resolver: work.resolver)
            .target(of: call.selector, observer: work.resolver.type(of: call.observer))
        try checkObserver(of: call, takes: target)
        let form = try ObserverForm(
            call: call, target: target, module: module, mode: mode, file: work.file,
            blocks: work.uses.blocks, options: options, hasTwin: hasTwin(target),
            isDistributed: isDistributed(call))
        let edits = options.darwin ? try form.inBothForms() : try form.edits()
        guard work.edit(edits) else {
            throw Obstacle(
                .callForm, "the call stands inside another that is changed: run this again")
        }
        selectors.converted(call.selector, to: target)
        work.report(
            .changed, form.usesObserve ? .observe : .selector, at: call.callee,
            "the selector became `\(form.reference)`")
    }

    /// Throws if the call's arguments name what Apple's systems alone have.
    func checkNames(of call: SelectorCall) throws(Obstacle) {
        for argument in options.apple ? [] : [call.name, call.object] {
            guard let name = AppleNames.first(in: argument, module: module, file: work.file) else {
                continue
            }
            throw Obstacle(
                .nameApple, "`\(name)` exists on Apple's systems only, and nobody posts it here")
        }
    }

    /// Whether a parameter or an element of a list with a method stands in place of the selector
    /// already.
    private func isMethodValue(_ call: SelectorCall) -> Bool {
        let flow = try? SelectorFlow.into(call.selector, of: .methods, in: scope, work)
        return flow != nil
    }

    // MARK: - The center

    func isDistributed(_ call: SelectorCall) -> Bool {
        if case .distributedCenter? = call.base.map({ work.resolver.type(of: $0).unwrapped }) {
            return true
        }
        return false
    }

    /// Whether the call is that of a center. Throws if that can't be told.
    func isCenter(of call: SelectorCall) throws(Obstacle) -> Bool {
        guard let base = call.base else {
            // The call is a method of the class around it, or of the center that the code extends.
            if let type = module.enclosingType(of: call.node),
                module.chain(of: type).contains(where: {
                    $0.methods.contains { $0.name == "addObserver" && $0.mayTake(call.labels) }
                })
            {
                return false
            }
            if let type = module.enclosingType(of: call.node), type.kind == .outside,
                type.name == "NotificationCenter"
            {
                return true
            }
            throw Obstacle(.centerUnknown, "it can't be told whose `addObserver` this is")
        }
        if let other = OtherCenter.obstacle(base, work) { throw other }
        if base.trimmedDescription == "NotificationCenter",
            package.implementsForCenter("addObserver")
        {
            let labels = call.arguments.map { ($0.label?.text ?? "_") + ":" }.joined()
            throw Obstacle(
                .selectorVariable,
                "`NotificationCenter.addObserver(\(labels))` is a method of these sources that takes a `Selector`: call the center's own in its place"
            )
        }
        switch work.resolver.type(of: base).unwrapped {
        case .center, .distributedCenter: return true
        case .instance(let type):
            guard let obstacle = CenterProtocol.obstacle(base.trimmedDescription, type) else {
                return false
            }
            guard scope.answered.contains(where: { $0 === type }) else { throw obstacle }
            work.report(
                .note, .centerMember, at: call.callee,
                "the selector stays: Switchyard's center has this method of `\(type.name)`")
            return false
        case .metatype: return false
        case .foundationCenter:
            throw Obstacle(.centerOutside, "`\(base.trimmedDescription)` is Foundation's center")
        case .optional, .unknown, .workspaceCenter:
            throw Obstacle(
                .centerUnknown,
                "it can't be told whether `\(base.trimmedDescription)` is a notification center")
        }
    }

    /// Whether a method, or a closure that calls one, stands in place of the selector already.
    private func isMethod(_ call: SelectorCall) -> Bool {
        let selector = call.arguments.first { $0.label?.text == "selector" }?.expression
        if selector?.is(ClosureExprSyntax.self) == true { return true }
        guard let member = selector?.methodReference, let base = member.base else { return false }
        let name = base.trimmedDescription
        guard let type = module.type(named: name, at: base, in: work.file),
            type.kind == .class || type.kind == .outside || type.kind == .actor
        else { return false }
        return module.chainWithFrameworks(of: type).contains {
            $0.methods.contains { $0.name == member.declName.baseName.text }
        }
    }

    /// Whether the class has a method of the main actor that takes the same parameters. In the
    /// Swift 5 mode the name alone is then not told from that of such a method; where the actor is
    /// found at run time, neither is a method of the main actor from others.
    func hasTwin(_ target: SelectorTarget, onBothSides: Bool = false) -> Bool {
        let isMain = module.isolation(of: target.method, in: target.type) == .mainActor
        guard mode == .v5, onBothSides || !isMain else { return false }
        func types(_ method: MethodInfo) -> [String] {
            method.node.signature.parameterClause.parameters.map(\.type.trimmedDescription)
        }
        return module.chain(of: target.type).contains { type in
            type.methods.contains {
                types($0) == types(target.method) && !$0.isStatic
                    && (module.isolation(of: $0, in: type) == .mainActor) != isMain
            }
        }
    }

    // MARK: - The observer

    /// Throws if the observer of a call can't have a method of a class; `heir` is the observer's
    /// class or one after it, where the observer is known to be one.
    func checkObserver(
        of call: SelectorCall, takes target: SelectorTarget, of heir: TypeInfo? = nil
    ) throws(Obstacle) {
        let spelled = call.observer.trimmedDescription
        let observer: TypeInfo
        switch work.resolver.type(of: call.observer) {
        case .instance(let type): observer = type
        case .optional(.instance(let type)):
            throw Obstacle(
                .observerUnknown,
                "`\(spelled)` is an optional `\(type.name)`: unwrap it before it observes")
        case .metatype:
            throw Obstacle(.observerUnknown, "`\(spelled)` is a type, no object: write a closure")
        default:
            throw Obstacle(
                .observerUnknown, "the type of `\(spelled)` can't be told from this module")
        }
        let isHeir = heir.map { module.inherits($0, from: observer) } == true
        guard isHeir || module.inherits(observer, from: target.type) else {
            throw Obstacle(
                .observerUnknown,
                "`\(spelled)` is a `\(observer.name)`, which has no method of `\(target.type.name)`"
            )
        }
        try check(target, calledOn: observer)
    }

    /// Throws if a method can't be called on an observer of a class.
    func check(
        _ target: SelectorTarget, calledOn observer: TypeInfo
    ) throws(Obstacle) {
        let isolation = module.isolation(of: target.method, in: target.type)
        if case .other(let actor) = isolation {
            throw Obstacle(
                .methodIsolation,
                "`\(target.type.name).\(target.method.name)` belongs to `\(actor)`: give the actor to a closure, with `observe(_:of:on:using:)`"
            )
        }
        if mode == .v6, !module.isSendable(observer) {
            throw Obstacle(
                .observerNotSendable,
                "`\(observer.name)` is not `Sendable`, as Swift 6 asks for: write `@MainActor` before the class, or `observe(…, on: .thisThread)`"
            )
        }
    }
}

extension ExprSyntax {
    /// The method of a class that the expression names, with or without its type.
    var methodReference: MemberAccessExprSyntax? {
        if let member = self.as(MemberAccessExprSyntax.self), member.base != nil { return member }
        return self.as(SequenceExprSyntax.self)?.elements.first?.as(MemberAccessExprSyntax.self)
    }
}
