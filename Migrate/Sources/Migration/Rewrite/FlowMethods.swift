// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwiftSyntax

/// The methods that take the place of selectors which reach observers through parameters or lists.
struct FlowMethods {
    /// A method in place of one selector.
    struct Method {
        let source: SelectorFlow.Source
        var target: SelectorTarget
        /// The class with which the method is named: that of the observers, or one after it.
        let type: TypeInfo
        /// Whether the method belongs to the main actor.
        let isMain: Bool

        /// Whether an observer can take the method for one with a parameter, as it is.
        func fits(_ parameter: SelectorTarget.Parameter) -> Bool {
            target.parameter == parameter && !target.method.hasResult
        }
    }

    let all: [Method]
    let observers: FlowObservers
    /// The parameter that the observers' methods have.
    let parameter: SelectorTarget.Parameter
    /// A method as the observers take it.
    let model: Method
    /// The name that stands for the class of the observer in the methods of the flow, where calls
    /// give methods of several classes.
    let placeholder: String?
    /// Whether some methods belong to the main actor, and others don't.
    let isMixed: Bool
    /// Whether the placeholder is a generic parameter. In an extension of a protocol it is `Self`.
    private var isGeneric: Bool { placeholder != nil && !observers.haveSelf }

    /// Throws if the observers of a flow can't take all of the methods.
    init(
        _ all: [Method], of observers: FlowObservers, through flow: SelectorFlow,
        in call: SelectorCall
    ) throws(Obstacle) {
        let parameter = Self.parameter(of: all)
        let exact = all.first { $0.fits(parameter) }
        guard var model = exact ?? all.first(where: { !$0.target.method.hasResult }) else {
            throw call.differ("all return something")
        }
        model.target.parameter = parameter
        (self.all, self.observers, self.parameter, self.model) = (all, observers, parameter, model)
        isMixed = all.contains { $0.isMain != model.isMain }
        // An element of a list gives a closure nothing from which to tell its parameter.
        guard all.allSatisfy({ $0.source.receiver != nil || $0.fits(parameter) }) else {
            throw call.differ("those in a list don't take the same")
        }
        guard let heir = all.first(where: { $0.type !== observers.type })?.type else {
            placeholder = nil
            return
        }
        placeholder = observers.haveSelf ? "Self" : Self.placeholder(in: flow)
        let why = "some belong to `\(heir.name)`, and not to `\(observers.bound)`"
        guard observers.isParameter || flow.calls.allSatisfy(\.observesSelf) else {
            throw call.differ("\(why), and the observer is not `self`")
        }
        guard placeholder != nil, observers.type?.isGeneric != true else {
            throw call.differ("\(why), and a generic parameter can't stand for both")
        }
    }

    /// The parameter of methods that can take the place of all.
    private static func parameter(of methods: [Method]) -> SelectorTarget.Parameter {
        let taken = methods.map(\.target.parameter)
        let most: [SelectorTarget.Parameter] = [.notification, .nsNotification]
        if let found = most.first(where: taken.contains) { return found }
        return taken.allSatisfy { $0 == .none } ? .none : .notification
    }

    /// A name for the class of the observer; nil if a method of the flow can't have a generic
    /// parameter.
    private static func placeholder(in flow: SelectorFlow) -> String? {
        let functions = flow.written.map(\.function)
        guard functions.allSatisfy({ $0?.genericParameterClause == nil && $0 != nil }) else {
            return nil
        }
        return ["Observer", "ObservingClass"].first { name in
            !functions.contains { function in
                function?.tokens(viewMode: .sourceAccurate).contains { $0.text == name } == true
            }
        }
    }

    // MARK: - Texts

    /// The observer and its class as an observer's call has them.
    func through(_ call: SelectorCall) -> ObserverForm.Through {
        let observer = call.observer.trimmedDescription
        let heir =
            isGeneric && !observers.isParameter ? placeholder.map { "\(observer) as! \($0)" } : nil
        return ObserverForm.Through(
            method: call.selector.trimmedDescription, observer: heir ?? observer,
            observerType: placeholder ?? observers.bound, isMixed: isMixed)
    }

    /// The text in place of a selector.
    func text(for method: Method, _ module: ModuleIndex, _ mode: LanguageMode) -> String {
        let target = method.target
        let types = NotificationTypes(
            at: method.source.node, in: method.source.work.file, of: module)
        // A reference with a type loses the actor in the Swift 5 mode.
        guard !method.fits(parameter) || isMixed && method.isMain && target.isOverloaded else {
            return ObserverForm.reference(
                to: target, of: method.type.name, isMain: method.isMain, mode: mode, types)
        }
        let observer = isGeneric ? "(observer: \(method.type.name))" : "observer"
        let actor = isMixed && method.isMain ? "@MainActor " : ""
        let given = given(to: target, hasActor: !actor.isEmpty)
        return "{ \(observer) in { \(actor)\(given)\(call(of: target, types)) } }"
    }

    /// The parameter of a closure that calls a method.
    private func given(to target: SelectorTarget, hasActor: Bool) -> String {
        if parameter == .none { return hasActor ? "in " : "" }
        return target.parameter == .none ? "_ in " : "notification in "
    }

    private func call(of target: SelectorTarget, _ types: NotificationTypes) -> String {
        let method = target.method
        var argument = ""
        if let label = method.labels.first {
            argument = (label == "_" ? "" : "\(label): ") + "notification"
            switch target.parameter {
            case .nsNotification, .anyObject:
                if parameter == .notification { argument += " as \(types.object)" }
            default:
                if parameter == .nsNotification { argument += " as \(types.value)" }
            }
        }
        return (method.hasResult ? "_ = " : "")
            + "observer.\(method.node.name.text)(\(argument))"
    }

    /// The edits that give the methods on the way a parameter of the method's type.
    func edits(of flow: SelectorFlow, type: String) -> [Edit] {
        var edits = flow.written.map {
            Edit(range: $0.type.range, text: ($0.function == nil ? "" : "@escaping ") + type)
        }
        if isGeneric, let placeholder {
            for function in flow.written.compactMap(\.function) {
                let end = function.name.range.upperBound
                edits.append(Edit(range: end..<end, text: "<\(placeholder): \(observers.bound)>"))
            }
            if let given = flow.observer {
                edits.append(Edit(range: given.type.range, text: placeholder))
            }
        }
        return edits
    }
}

extension SelectorCall {
    /// The obstacle where one parameter can't have all methods that come through it.
    func differ(_ why: String) -> Obstacle {
        Obstacle(
            .selectorVariable,
            "`\(selector.trimmedDescription)` stands for methods of which \(why): write each with its class, in a call of its own"
        )
    }

    /// Whether the observer is `self`.
    fileprivate var observesSelf: Bool { observer.trimmedDescription == "self" }
}
