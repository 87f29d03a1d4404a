// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwiftSyntax

/// Protocols of a module that ask a center for `addObserver` with a `Selector`.
///
/// Foundation's center has that method. The `addObserver` of Switchyard's center takes a method in
/// place of the selector, so the center conforms only on Apple's systems, where an extension can
/// add the form with a `Selector`.
enum CenterProtocol {
    /// Whether the protocol has such a requirement.
    static func takesSelectors(_ type: TypeInfo) -> Bool {
        type.kind == .protocol && !requirements(of: type).isEmpty
    }

    /// The methods of the protocol that take a selector.
    static func requirements(of type: TypeInfo) -> [MethodInfo] {
        type.methods.filter { method in
            method.name == "addObserver"
                && method.node.signature.parameterClause.parameters.contains {
                    $0.firstName.text == "selector" && $0.type.plainName == "Selector"
                }
        }
    }

    /// The first such protocol to which an extension of the center conforms.
    static func asked(by node: ExtensionDeclSyntax, in work: FileWork) -> TypeInfo? {
        guard node.extendedType.plainName == "NotificationCenter" else { return nil }
        return node.inheritanceClause.names.lazy
            .compactMap { work.module.type(named: $0, at: node, in: work.file) }
            .first(where: takesSelectors)
    }

    /// The reason for which a call on a value of the type stays, where the type is such a protocol.
    static func obstacle(_ spelled: String, _ type: TypeInfo) -> Obstacle? {
        guard takesSelectors(type) else { return nil }
        return Obstacle(
            .centerMember,
            "`\(spelled)` has the type `\(type.name)`, whose `addObserver` takes a `Selector`: ask for `observe` of Switchyard's center in `\(type.name)`, or write `NotificationCenter` in its place"
        )
    }
}
