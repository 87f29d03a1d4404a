// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwiftSyntax

/// The observers of calls whose selectors come through parameters or lists.
struct FlowObservers {
    /// The class or the protocol that the sources name; nil for any object.
    let type: TypeInfo?
    /// What a generic parameter for the class has after its colon.
    let bound: String
    /// Whether a parameter has the observer.
    let isParameter: Bool

    /// Whether `Self` names the class of the observer.
    var haveSelf: Bool { type?.kind == .protocol && !isParameter }

    /// The observers of a flow; nil if their type is not understood.
    init?(of flow: SelectorFlow, in work: FileWork, mode: LanguageMode) {
        let module = work.module
        isParameter = flow.observer != nil
        guard let given = flow.observer else {
            guard let call = flow.calls.first, let type = module.enclosingType(of: call.node) else {
                return nil
            }
            (self.type, bound) = (type, type.name)
            return
        }
        if case .instance(let found) = work.resolver.type(of: given.type) {
            type = found
        } else {
            type = nil
        }
        guard let name = Self.bound(given.type, type) else { return nil }
        let isSendable = type.map { $0.kind != .protocol && module.isSendable($0) } == true
        bound = mode == .v5 || isSendable ? name : name + " & Sendable"
    }

    private static func bound(_ written: TypeSyntax, _ type: TypeInfo?) -> String? {
        guard let name = written.as(IdentifierTypeSyntax.self), name.genericArgumentClause == nil
        else { return nil }
        if ["Any", "AnyObject"].contains(name.name.text) { return "AnyObject" }
        let isClass = type?.kind == .class || name.name.text == "NSObject"
        // Another module's type may be a protocol for other types than classes.
        return isClass ? name.name.text : name.name.text + " & AnyObject"
    }
}
