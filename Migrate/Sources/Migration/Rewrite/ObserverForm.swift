// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwiftSyntax

/// The form that a call with a selector takes with Switchyard.
struct ObserverForm {
    private enum Shape { case method, observe, closure }

    /// What a call has where a method comes through a parameter or a list.
    struct Through {
        /// The expression for the method.
        let method: String
        /// The observer, and the name of its class.
        let observer: String
        let observerType: String
        /// Whether it may be a method of the main actor, or one without an actor.
        let isMixed: Bool
    }

    let call: SelectorCall
    let file: SourceFile
    /// Closures that become statements.
    private let blocks: [CenterBlock]
    /// The method with its class, as in `Controller.changed`.
    let reference: String
    private let shape: Shape
    private let isMain: Bool
    private let isOnMain: Bool
    private let hasResult: Bool
    private let target: SelectorTarget
    private let mode: LanguageMode
    private let observer: String
    private let observerType: String
    private let isMixed: Bool
    /// Notifications as the file names them where the call stands.
    private let types: NotificationTypes

    /// Whether `addObserver` becomes `observe`.
    var usesObserve: Bool { shape != .method }

    init(
        call: SelectorCall, target: SelectorTarget, module: ModuleIndex, mode: LanguageMode,
        file: SourceFile, blocks: [CenterBlock], options: MigrationOptions, hasTwin: Bool,
        isDistributed: Bool, through value: Through? = nil
    ) throws(Obstacle) {
        self.call = call
        self.file = file
        self.blocks = blocks
        self.target = target
        isMixed = value?.isMixed == true
        isMain =
            !isMixed && module.isolation(of: target.method, in: target.type) == .mainActor
        // The distributed center delivers on the main actor unless another context is named.
        isOnMain = isMain && mode == .v5 && !isDistributed
        hasResult = target.method.hasResult
        let givesOther = hasResult || [.anyNotification, .anyObject].contains(target.parameter)
        if givesOther || hasTwin, isDistributed {
            guard givesOther else {
                throw Obstacle(
                    .methodIsolation,
                    "`\(target.type.name)` has main-actor methods with the same parameters, from which the Swift 5 mode can't tell `\(target.method.name)`: write a closure"
                )
            }
            throw Obstacle(
                .methodSignature,
                "`\(target.type.name).\(target.method.name)` \(hasResult ? "returns" : "takes") something that the distributed center can't give: write a closure"
            )
        } else if givesOther || hasTwin {
            shape = .closure
        } else if isDistributed || !(options.observe || isOnMain) {
            shape = .method
        } else {
            // `addObserver` finds the actor when it registers, where `observe` can't stand.
            let canStand = ObserveCall.canReplace(call) && !call.hasComments
            shape = options.observe || canStand ? .observe : .method
        }
        types = NotificationTypes(at: call.node, in: file, of: module)
        observer = value?.observer ?? call.observer.trimmedDescription
        observerType = value?.observerType ?? target.type.name
        reference =
            value?.method
            ?? Self.reference(to: target, of: observerType, isMain: isMain, mode: mode, types)
        self.mode = mode
        if call.selector.hasInnerComments {
            throw Obstacle(.callForm, "a comment stands inside the selector, and would be lost")
        }
        guard shape == .method || ObserveCall.canReplace(call) else {
            throw Obstacle(
                .callForm, "the call is part of an expression, and `observe` returns a token")
        }
        if shape != .method, call.hasComments {
            throw Obstacle(
                .callForm,
                "comments stand between the arguments, which change places: write `observe(name, of: object, with: observer, \(reference)\(isOnMain ? ", on: .main" : ""))`"
            )
        }
    }

    /// The method's name in a class, with labels or its type where it is overloaded.
    static func reference(
        to target: SelectorTarget, of type: String, isMain: Bool, mode: LanguageMode,
        _ types: NotificationTypes
    ) -> String {
        let name = type + "." + target.method.node.name.text
        guard target.isOverloaded else { return name }
        if target.parameter != .none, !target.needsType {
            return name + "(" + target.method.labels.map { $0 + ":" }.joined() + ")"
        }
        let parameter =
            switch target.parameter {
            case .none: "()"
            case .notification: "(\(types.value))"
            case .nsNotification: "(\(types.object))"
            // These methods are called in a closure, and have no reference.
            case .anyNotification, .anyObject: "(Any)"
            }
        let (sendable, main) = mode == .v6 ? ("@Sendable ", isMain ? "@MainActor " : "") : ("", "")
        return "\(name) as \(sendable)(\(type)) -> \(main)\(parameter) -> Void"
    }

    /// The method's type; nil where it is called in a closure.
    var methodType: String? {
        guard shape != .closure else { return nil }
        let parameter =
            switch target.parameter {
            case .nsNotification: "(\(types.object))"
            case .notification: "(\(types.value))"
            default: "()"
            }
        return (mode == .v6 ? "@Sendable " : "") + "(\(observerType)) -> "
            + (isMixed ? "@isolated(any) " : isMain ? "@MainActor " : "") + "\(parameter) -> Void"
    }

    /// The method in place of the selector.
    private var method: String {
        guard shape == .closure else { return reference }
        // A closure can't name its parameter's type and its actor both in the Swift 5 mode.
        let actor = isMain && !isOnMain ? "@MainActor " : ""
        return "{ observer in { \(actor)\(closureParameter) in \(closureBody) } }"
    }

    private var closureParameter: String {
        switch target.parameter {
        case .none: "()"
        case .notification, .anyNotification: "(notification: \(types.value))"
        case .nsNotification, .anyObject: "(notification: \(types.object))"
        }
    }

    private var closureBody: String {
        var argument = ""
        if let label = target.method.labels.first {
            argument = label == "_" ? "notification" : "\(label): notification"
        }
        let call =
            (hasResult ? "_ = " : "") + "observer.\(target.method.node.name.text)(\(argument))"
        return isOnMain ? "MainActor.assumeIsolated { \(call) }" : call
    }

    /// The name in the call. Beside a method, the Swift 6 mode takes a name that begins with `.init`
    /// for a reason to choose the form for methods of the main actor.
    private var name: String {
        let written = call.name.trimmedDescription
        guard mode == .v6, call.name.isImplicitInit else { return written }
        return types.value + ".Name" + written.dropFirst(".init".count)
    }

    /// The edits that give the call its form.
    func edits() throws(Obstacle) -> [Edit] {
        guard shape != .method else {
            let changes = [
                (call.observer, observer), (call.selector, reference), (call.name, name),
            ]
            return changes.filter { $0.trimmedDescription != $1 }
                .map { Edit(range: $0.range, text: $1) }
        }
        return ObserveCall(
            call: call, file: file, blocks: blocks, name: name, observer: observer, method: method,
            isOnMain: isOnMain
        ).edits
    }

    /// The edits that keep the selector for Apple's systems, beside the new form.
    func inBothForms() throws(Obstacle) -> [Edit] {
        guard let statement = call.statement, file.isFirstOnLine(statement.range.lowerBound),
            statement.trailingTrivia.allSatisfy({ !$0.isAnyComment })
        else {
            throw Obstacle(
                .callForm,
                "the call is no statement on lines of its own, which `#if` needs around it")
        }
        let range = statement.range
        let end = file.bytes[range.upperBound...].first { $0 != UInt8(ascii: " ") }
        guard end == nil || end == UInt8(ascii: "\n") || end == UInt8(ascii: "\r") else {
            throw Obstacle(.callForm, "something follows the call on its line")
        }
        let (old, line) = (file.text(range), file.newline + file.indentation(at: range.lowerBound))
        let inner = try edits().map {
            Edit(
                range: $0.range.lowerBound - range.lowerBound..<$0.range.upperBound
                    - range.lowerBound,
                text: $0.text)
        }
        var new = Array(old.utf8)
        for edit in inner.sorted().reversed() {
            new.replaceSubrange(edit.range, with: Array(edit.text.utf8))
        }
        let text = [
            "#if canImport(Darwin)", old, "#else", String(decoding: new, as: UTF8.self), "#endif",
        ].joined(separator: line)
        return [Edit(range: range, text: text)]
    }
}
