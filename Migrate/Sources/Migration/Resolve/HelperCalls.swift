// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwiftSyntax

/// Finds the calls of a method that takes a selector, in all files of a module.
struct HelperCalls {
    /// A call of the method.
    struct Call {
        let work: FileWork
        let arguments: [ExprSyntax]
        /// The selector that the call gives.
        let selector: ExprSyntax
        /// The class of the object whose method is called, as the call sees it.
        let receiver: TypeInfo
    }

    /// The object whose method a name may mean.
    private enum Owner {
        case known(TypeInfo)
        case unknown
        /// The name means something else.
        case another
    }

    private let helper: SelectorHelper
    private let scope: FlowScope
    private var module: ModuleIndex { helper.work.module }

    /// The calls. Throws if a use of the method's name is not understood.
    static func of(
        _ helper: SelectorHelper, in scope: FlowScope
    ) throws(Obstacle) -> [Call] {
        let finder = HelperCalls(helper: helper, scope: scope)
        var calls: [Call] = []
        for use in finder.uses {
            if let call = try finder.call(at: use) { calls.append(call) }
        }
        return calls
    }

    /// The calls that are understood, where others may not be.
    static func understood(of helper: SelectorHelper, in scope: FlowScope) -> [Call] {
        let finder = HelperCalls(helper: helper, scope: scope)
        return finder.uses.compactMap { try? finder.call(at: $0) }
    }

    private var uses: [FlowScope.Use] {
        scope.uses(of: helper.name).filter {
            helper.access > .fileprivate || $0.work === helper.work
        }
    }

    /// The call for which a name stands; nil if the name means something else.
    private func call(at use: FlowScope.Use) throws(Obstacle) -> Call? {
        var callee = ExprSyntax(use.node)
        if let member = use.node.parent?.as(MemberAccessExprSyntax.self),
            member.declName.id == use.node.id
        {
            callee = ExprSyntax(member)
        }
        let call = callee.parent?.as(FunctionCallExprSyntax.self).flatMap {
            $0.calledExpression.id == callee.id ? $0 : nil
        }
        // No overload can be called with the same labels, nor the method with others.
        if let call, call.trailingClosure == nil, call.labels != helper.labels { return nil }
        let place = use.work.place(of: use.node)
        switch owner(of: callee, use) {
        case .another: return nil
        case .unknown:
            throw helper.refusal("and \(place) may call it on an object whose class is not known")
        case .known(let receiver):
            guard let call, call.trailingClosure == nil else {
                throw helper.refusal("and \(place) uses it in another way than to call it")
            }
            guard !scope.isLeft(use.work), !use.work.file.leavesOut(use.node) else {
                throw helper.refusal("and the call in \(place) stays")
            }
            let arguments = call.arguments.map(\.expression)
            return Call(
                work: use.work, arguments: arguments, selector: arguments[helper.place],
                receiver: receiver)
        }
    }

    // MARK: - The object

    private func owner(of callee: ExprSyntax, _ use: FlowScope.Use) -> Owner {
        guard let member = callee.as(MemberAccessExprSyntax.self) else {
            if isParameter(use) || isLocal(use) { return .another }
            // A function outside types has no object to call a method on.
            guard let type = module.enclosingType(of: use.node) else { return .another }
            return owner(type, isNamedAlone: true)
        }
        guard let base = member.base else { return .unknown }
        if base.is(SuperExprSyntax.self) {
            return module.enclosingType(of: use.node).map { owner($0) } ?? .unknown
        }
        if helper.isStatic, base.trimmedDescription == helper.type.name {
            return .known(helper.type)
        }
        switch use.work.resolver.type(of: base).unwrapped {
        case .center where helper.type.name == "NotificationCenter" && !helper.isStatic:
            return .known(helper.type)
        case .instance(let type) where !helper.isStatic: return owner(type)
        case .metatype(let type) where helper.isStatic: return owner(type)
        case .metatype(let type) where declaresName(type): return .another
        default: return .unknown
        }
    }

    private func isParameter(_ use: FlowScope.Use) -> Bool {
        use.work.resolver.variable(named: helper.name, at: use.node)?.node
            .is(FunctionParameterSyntax.self) == true
    }

    /// Whether a function inside the body around a name has the name.
    private func isLocal(_ use: FlowScope.Use) -> Bool {
        use.node.ancestors.contains { ancestor in
            ancestor.as(CodeBlockItemListSyntax.self)?.contains {
                $0.item.as(FunctionDeclSyntax.self)?.name.text == helper.name
            } == true && ancestor.parent?.is(SourceFileSyntax.self) == false
        }
    }

    private func owner(_ type: TypeInfo, isNamedAlone: Bool = false) -> Owner {
        if module.inherits(type, from: helper.type) { return .known(type) }
        if declaresName(type) || isNamedAlone && module.functions[helper.name] != nil {
            return .another
        }
        // A class of another module may come between this type and the helper's, or conform to it.
        let mayInherit =
            module.hasOutsideSuperclass(type)
            && (helper.type.kind != .class || hasUnclearSuperclass(type))
        return isNamedAlone || mayInherit ? .unknown : .another
    }

    /// Whether the module declares several classes of the name that a class begins with, or an
    /// alias.
    private func hasUnclearSuperclass(_ type: TypeInfo) -> Bool {
        guard let name = module.chain(of: type).last?.declaredInheritance.first else {
            return false
        }
        return module.aliases[name] != nil
            || module.types[name]?.contains { $0.kind == .class } == true
    }

    /// Whether a type has a method of its own that the call may mean.
    private func declaresName(_ type: TypeInfo) -> Bool {
        !module.inherits(type, from: helper.type)
            && module.chain(of: type).contains {
                $0.methods.contains(where: helper.mayBeMeant)
            }
    }
}
