// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwiftSyntax

/// The form of a call on Apple's systems whose selector has no method that the sources show.
///
/// Foundation's center sends the selector to the observer as a message, with the notification. The
/// closure in this form does the same, so it needs to know neither the method nor its parameters.
struct PerformForm {
    let call: SelectorCall
    private let file: SourceFile
    private let module: ModuleIndex
    private let blocks: [CenterBlock]
    private let observer: String
    /// The entry of the closure's capture list for the selector.
    private let capture: String

    /// Nil if the call's arguments can't stand in this form.
    init?(_ call: SelectorCall, in work: FileWork) {
        guard call.hasKnownForm, !call.isWithSuspension, ObserveCall.canReplace(call),
            !call.hasComments, !call.selector.hasInnerComments,
            !work.module.hasOwnType("Selector", at: call.node, in: work.file),
            let observer = Self.observer(of: call, work)
        else { return nil }
        (self.call, self.observer) = (call, observer)
        capture = PerformedSelector.capture(of: call.selector, work)
        (file, module, blocks) = (work.file, work.module, work.uses.blocks)
    }

    var edits: [Edit] {
        let types = NotificationTypes(at: call.node, in: file, of: module)
        return ObserveCall(
            call: call, file: file, blocks: blocks, name: call.name.trimmedDescription,
            observer: observer, method: Self.closure(capturing: capture, types)
        ).edits
    }

    /// The closure that sends a selector, captured by the name `selector`, to the observer.
    ///
    /// A closure in code of the main actor would run there, whatever its observer. With `@Sendable`
    /// it runs where the notification is posted, as Foundation's center does.
    static func closure(capturing capture: String, _ types: NotificationTypes) -> String {
        let message = "(observer as AnyObject).perform(selector, with: notification)"
        return
            "{ [\(capture)] observer in { @Sendable (notification: \(types.object)) in _ = \(message) } }"
    }

    /// The observer as an object; nil if the sources say that it is an optional or a value.
    ///
    /// Foundation's center takes an `Any`, and makes an object of it in the same way, whatever its
    /// type. A class is an object, too.
    private static func observer(of call: SelectorCall, _ work: FileWork) -> String? {
        let spelled = call.observer.trimmedDescription
        let object = (call.observer.isPrimary ? spelled : "(\(spelled))") + " as AnyObject"
        switch work.resolver.type(of: call.observer) {
        case .instance(let type) where type.kind == .class: return spelled
        case .instance(let type): return type.kind == .value ? nil : object
        case .metatype(let type): return [.class, .outside].contains(type.kind) ? object : nil
        case .unknown: break
        default: return nil
        }
        guard let reference = call.observer.as(DeclReferenceExprSyntax.self) else {
            return call.observer.isChained ? nil : object
        }
        // Foundation's classes say that they are not `Sendable`; any object may be.
        let variable = work.resolver.variable(named: reference.baseName.text, at: reference)
        guard let variable, !variable.isBinding, let type = variable.annotation else {
            return object
        }
        return type.isOptional ? nil : type.trimmedDescription == "AnyObject" ? spelled : object
    }
}

extension ExprSyntax {
    /// Whether a cast after the expression is one of all of it.
    fileprivate var isPrimary: Bool {
        self.is(DeclReferenceExprSyntax.self) || self.is(MemberAccessExprSyntax.self)
            || self.is(FunctionCallExprSyntax.self) || self.is(SubscriptCallExprSyntax.self)
            || self.is(ForceUnwrapExprSyntax.self) || self.is(TupleExprSyntax.self)
    }

    /// Whether the value is an optional because of a `?` in the expression.
    fileprivate var isChained: Bool {
        tokens(viewMode: .sourceAccurate).contains { $0.tokenKind == .postfixQuestionMark }
    }
}

extension TypeSyntax {
    /// Whether the type is written as an optional.
    fileprivate var isOptional: Bool {
        self.is(OptionalTypeSyntax.self) || self.is(ImplicitlyUnwrappedOptionalTypeSyntax.self)
            || plainName == "Optional"
    }
}
