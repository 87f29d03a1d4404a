// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwiftSyntax

extension ModuleIndex {
    /// The actor on which a method of a type runs.
    func isolation(of method: MethodInfo, in type: TypeInfo) -> Isolation {
        if method.isolation != .unspecified { return method.isolation }
        if type.kind == .actor { return .other(type.name) }
        for name in method.node.attributes.names where globalActors.contains(name) {
            return .other(name)
        }
        // An override is isolated as the method that it overrides.
        if method.isOverride, let before = superclass(of: type) {
            for next in chain(of: before) {
                if let base = next.methods.first(where: {
                    $0.name == method.name && $0.labels == method.labels
                }) {
                    return isolation(of: base, in: next)
                }
            }
        }
        return isolation(of: type)
    }

    /// The actor to which a type belongs.
    func isolation(of type: TypeInfo) -> Isolation {
        for type in chain(of: type) {
            if type.isolation != .unspecified { return type.isolation }
            if let node = type.node.asProtocol((any WithAttributesSyntax).self) {
                for name in node.attributes.names where globalActors.contains(name) {
                    return .other(name)
                }
            }
            for name in type.declaredInheritance {
                guard let conformed = self.type(named: name, at: type.node, in: type.file),
                    conformed.kind == .protocol, conformed.isolation != .unspecified
                else { continue }
                return conformed.isolation
            }
        }
        if isOnMainByApple(type) { return .mainActor }
        return isolatesToMain && type.kind != .outside ? .mainActor : .unspecified
    }

    /// Whether a framework of Apple's puts a type on the main actor: through the class before the
    /// first that the module declares, or a protocol.
    private func isOnMainByApple(_ type: TypeInfo) -> Bool {
        let chain = chain(of: type)
        guard let last = chain.last else { return false }
        let superclass = last.kind == .outside ? last.name : last.declaredInheritance.first
        return superclass.map { AppleNames.isOnMain(class: $0) } == true
            || chain.contains {
                $0.declaredInheritance.contains { AppleNames.isOnMain(protocol: $0) }
            }
    }

    /// Whether values of a class may go to other threads, as far as the module says.
    func isSendable(_ type: TypeInfo) -> Bool {
        if isolation(of: type) == .mainActor || type.kind == .actor { return true }
        if case .other = isolation(of: type) { return true }
        return chain(of: type).contains { type in
            type.inheritance.contains { name in
                if ["Sendable", "@unchecked Sendable", "Swift.Sendable"].contains(name) {
                    return true
                }
                guard let conformed = self.type(named: name, at: type.node, in: type.file),
                    conformed.kind == .protocol
                else { return false }
                return conformed.inheritance.contains("Sendable")
            }
        }
    }
}
