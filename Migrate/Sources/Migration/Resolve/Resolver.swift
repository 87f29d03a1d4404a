// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwiftSyntax

/// Finds the types of expressions in a file, as far as declarations in the module say them.
struct Resolver {
    let index: ModuleIndex
    let file: SourceFile
    /// The number of declarations that may lead to each other.
    var depth = 12

    private var deeper: Resolver { Resolver(index: index, file: file, depth: depth - 1) }

    /// The resolver for a place in another file.
    private func moved(to node: some SyntaxProtocol) -> Resolver {
        Resolver(index: index, file: index.file(of: node) ?? file, depth: depth - 1)
    }

    // MARK: - Expressions

    /// The type of an expression.
    func type(of expression: ExprSyntax) -> ValueType {
        guard depth > 0 else { return .unknown }
        if let reference = expression.as(DeclReferenceExprSyntax.self) {
            return type(ofName: reference)
        }
        if let member = expression.as(MemberAccessExprSyntax.self) { return type(ofMember: member) }
        if let call = expression.as(FunctionCallExprSyntax.self) { return type(ofCall: call) }
        if let chained = expression.as(OptionalChainingExprSyntax.self) {
            return deeper.type(of: chained.expression).unwrapped
        }
        if let forced = expression.as(ForceUnwrapExprSyntax.self) {
            return deeper.type(of: forced.expression).unwrapped
        }
        if let tuple = expression.as(TupleExprSyntax.self), tuple.elements.count == 1,
            let only = tuple.elements.first, only.label == nil
        {
            return deeper.type(of: only.expression)
        }
        return .unknown
    }

    private func type(ofName reference: DeclReferenceExprSyntax) -> ValueType {
        let name = reference.baseName.text.withoutBackticks
        guard reference.argumentNames == nil else { return .unknown }
        switch name {
        case "self": return SelfScope(index: index).type(at: reference)
        case "Self":
            return index.enclosingType(of: reference).map { .metatype($0) } ?? .unknown
        default: break
        }
        if name == "$0" { return typeOfFirstParameter(at: reference) }
        if name == "default", isOwnDefault(reference) { return .center }
        if let variable = variable(named: name, at: reference) { return type(of: variable) }
        return metatype(name, at: reference)
    }

    /// Whether `default` alone is the default center, as in a static method that extends the
    /// center's class.
    private func isOwnDefault(_ reference: DeclReferenceExprSyntax) -> Bool {
        guard case .metatype(let type) = SelfScope(index: index).type(at: reference),
            type.kind == .outside, type.name == "NotificationCenter"
        else { return false }
        let declared = variable(named: "default", at: reference)
        return declared.map { index.type(declaredBy: $0.node) != nil } ?? true
    }

    /// The type of `$0`: an object that a call like `do` or `with` gives to its closure.
    private func typeOfFirstParameter(at reference: DeclReferenceExprSyntax) -> ValueType {
        for ancestor in reference.ancestors {
            guard let closure = ancestor.as(ClosureExprSyntax.self) else { continue }
            guard closure.signature?.parameterClause == nil else { return .unknown }
            return type(givenTo: closure)
        }
        return .unknown
    }

    private func type(givenTo closure: ClosureExprSyntax) -> ValueType {
        // Only a center is resolved: the type of another object is not known from the call alone.
        guard let object = CenterBlock.object(givenTo: closure),
            case .center = deeper.type(of: object)
        else { return .unknown }
        return .center
    }

    private func metatype(_ name: String, at node: some SyntaxProtocol) -> ValueType {
        guard let type = index.type(named: name, at: node, in: file), type.kind != .outside else {
            return .unknown
        }
        return .metatype(type)
    }

    private func type(ofMember member: MemberAccessExprSyntax) -> ValueType {
        guard let base = member.base, member.declName.argumentNames == nil else { return .unknown }
        let name = member.declName.baseName.text.withoutBackticks
        let spelled = base.trimmedDescription
        if name == "default", let center = centerClass(spelled, at: member) { return center }
        if name == "notificationCenter", spelled.hasPrefix("NSWorkspace.") {
            return .workspaceCenter
        }
        if ["self", "default"].contains(name), case .metatype(let type) = deeper.type(of: base) {
            if name == "self" { return .metatype(type) }
            // A static method that extends the center's class has the default center by this name.
            if type.kind == .outside, type.name == "NotificationCenter" { return .center }
        }
        // The member comes from an extension of the center's class in the module.
        if case .center? = centerClass(spelled, at: member),
            let added = index.types["NotificationCenter"]?.flatMap(\.variables).filter({
                $0.name == name
            }),
            added.count == 1
        {
            return type(of: added[0])
        }
        let baseType = deeper.type(of: base)
        let isChained = base.is(OptionalChainingExprSyntax.self)
        switch baseType {
        case .instance(let type):
            let found = self.member(name, of: type)
            return isChained ? found.asOptional : found
        case .metatype(let type):
            let found = self.member(name, of: type)
            if !found.isUnknown { return found }
            return metatype(type.name + "." + name, at: member)
        default: return .unknown
        }
    }

    private func member(_ name: String, of type: TypeInfo) -> ValueType {
        for type in index.chain(of: type) {
            let found = type.variables.filter { $0.name == name }
            if let variable = found.first {
                return found.count == 1 ? self.type(of: variable) : .unknown
            }
        }
        return .unknown
    }

    private func type(ofCall call: FunctionCallExprSyntax) -> ValueType {
        var callee = call.calledExpression
        if let member = callee.as(MemberAccessExprSyntax.self), let base = member.base {
            let name = member.declName.baseName.text
            if ["default", "forType"].contains(name),
                base.trimmedDescription == "DistributedNotificationCenter",
                !index.declares("DistributedNotificationCenter")
            {
                return .distributedCenter
            }
            if name != "init" { return result(of: name, calledOn: base) }
            callee = base
        }
        if let center = centerClass(callee.trimmedDescription, at: call) { return center }
        if case .metatype(let type) = deeper.type(of: callee) {
            guard type.kind == .class || type.kind == .value,
                index.chain(of: type).allSatisfy({ !$0.mayFail(in: call) })
            else { return .unknown }
            return instance(of: type)
        }
        if let reference = callee.as(DeclReferenceExprSyntax.self) { return result(of: reference) }
        return .unknown
    }

    /// The result of a method of the module that is called on an object or a type.
    private func result(of name: String, calledOn base: ExprSyntax) -> ValueType {
        let owner: TypeInfo
        switch deeper.type(of: base) {
        case .instance(let type), .metatype(let type): owner = type
        default: return .unknown
        }
        var found = index.chain(of: owner).flatMap(\.methods).filter { $0.name == name }
        if found.isEmpty {
            found = index.protocols(of: owner).flatMap(\.methods).filter {
                $0.name == name && $0.hasBody
            }
        }
        guard found.count == 1, let type = found[0].node.signature.returnClause?.type else {
            return .unknown
        }
        switch type.trimmedDescription {
        case "Self": return instance(of: owner)
        case "Self?", "Self!": return instance(of: owner).asOptional
        default: return moved(to: type).type(of: type)
        }
    }

    /// The result of a function of the module.
    private func result(of reference: DeclReferenceExprSyntax) -> ValueType {
        let name = reference.baseName.text
        var found: [FunctionDeclSyntax] = []
        if let enclosing = index.enclosingType(of: reference) {
            found = index.chain(of: enclosing).flatMap(\.methods).filter { $0.name == name }.map(
                \.node)
        }
        if found.isEmpty { found = index.functions[name] ?? [] }
        guard found.count == 1, let type = found[0].signature.returnClause?.type else {
            return .unknown
        }
        return moved(to: type).type(of: type)
    }

    /// The center whose class is spelled so.
    private func centerClass(_ spelled: String, at node: some SyntaxProtocol) -> ValueType? {
        switch spelled {
        case "NotificationCenter":
            if let alias = index.aliases["NotificationCenter"], alias.count == 1 {
                return deeper.type(of: alias[0])
            }
            guard
                index.type(named: spelled, at: node, in: file).map({ $0.kind == .outside }) ?? true
            else { return nil }
            return .center
        case "Switchyard.NotificationCenter": return .center
        case "Foundation.NotificationCenter": return .foundationCenter
        case "DistributedNotificationCenter", "SwitchyardDistributed.DistributedNotificationCenter":
            return index.declares("DistributedNotificationCenter") ? nil : .distributedCenter
        default: break
        }
        guard let alias = index.aliases[spelled], alias.count == 1, depth > 0 else { return nil }
        if case .unknown = deeper.type(of: alias[0]) { return nil }
        return deeper.type(of: alias[0])
    }

    // MARK: - Types

    /// The value that a type as it is written describes.
    func type(of written: TypeSyntax) -> ValueType {
        guard depth > 0 else { return .unknown }
        if let optional = written.as(OptionalTypeSyntax.self) {
            return deeper.type(of: optional.wrappedType).asOptional
        }
        if let optional = written.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
            let wrapped = deeper.type(of: optional.wrappedType)
            // Members are those of the value. As an observer it would be an optional.
            if case .center = wrapped { return .center }
            return wrapped.asOptional
        }
        if let attributed = written.as(AttributedTypeSyntax.self) {
            return deeper.type(of: attributed.baseType)
        }
        let name = written.plainName
        if let center = centerClass(name, at: written) { return center }
        guard let type = index.type(named: name, at: written, in: file) else { return .unknown }
        return type.kind == .outside ? .unknown : instance(of: type)
    }

    /// A value of a type. A subclass of the center is a center, unless it adds observers its own
    /// way.
    private func instance(of type: TypeInfo) -> ValueType {
        let isCenter =
            type.kind == .class && index.isCenterSubclass(type)
            && !index.declares("NotificationCenter")
        return isCenter && !overridesAdding(type) ? .center : .instance(type)
    }

    private func overridesAdding(_ type: TypeInfo) -> Bool {
        index.chain(of: type).contains { type in
            type.methods.contains { $0.name == "addObserver" && $0.labels.contains("selector") }
        }
    }

    /// The type of a variable.
    func type(of variable: VariableInfo) -> ValueType {
        guard depth > 0 else { return .unknown }
        let resolver = moved(to: variable.node)
        if variable.isGiven {
            return variable.node.as(ClosureExprSyntax.self).map { resolver.type(givenTo: $0) }
                ?? .unknown
        }
        if variable.isBinding {
            if let value = variable.value { return resolver.type(of: value).unwrapped }
            return resolver.variable(named: variable.name, at: variable.node)
                .map { resolver.type(of: $0).unwrapped } ?? .unknown
        }
        if let annotation = variable.annotation { return resolver.type(of: annotation) }
        guard let value = variable.value else { return .unknown }
        let type = resolver.type(of: value)
        return variable.isWeak ? type.asOptional : type
    }

    // MARK: - Variables

    /// The variable that a name means at a node; one without type where the name means something
    /// else that is not understood.
    func variable(named name: String, at node: some SyntaxProtocol) -> VariableInfo? {
        let scopes = LocalScopes(name: name)
        var child = Syntax(node)
        for ancestor in node.ancestors {
            if let found = scopes.declared(in: ancestor, before: child) { return found }
            if let type = index.type(declaredBy: ancestor) {
                for type in index.chain(of: type) {
                    let found = type.variables.filter { $0.name == name }
                    if found.count == 1 { return found[0] }
                    if found.count > 1 { return scopes.unclear(ancestor) }
                }
                // A member that another module declares may have the name.
                if index.hasOutsideSuperclass(type), type.declaredInheritance.first != "NSObject",
                    name.first?.isLowercase == true
                {
                    return scopes.unclear(ancestor)
                }
            }
            child = ancestor
        }
        let globals = index.globals[name] ?? []
        if globals.count > 1 { return scopes.unclear(Syntax(node)) }
        return globals.first
    }
}
