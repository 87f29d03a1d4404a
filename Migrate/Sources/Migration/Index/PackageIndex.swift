// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwiftSyntax

/// The modules of a package, with questions to all of them together.
final class PackageIndex {
    let modules: [ModuleIndex]
    /// Names of functions, types, cases and variables that the package declares.
    private var declared: Set<String> = []
    /// Names of members that the package adds to the center.
    private var centerMembers: Set<String> = []
    /// Names of methods with a body that the package adds to the center, or to protocols that it
    /// conforms to.
    private var centerMethods: Set<String> = []

    init(modules: [ModuleIndex]) {
        self.modules = modules
        for module in modules {
            for (name, types) in module.types {
                if let last = name.split(separator: ".").last,
                    types.contains(where: { $0.kind != .outside })
                {
                    declared.insert(String(last))
                }
                for type in types
                where type.name.split(separator: ".").first == "NotificationCenter" {
                    centerMethods.formUnion(type.methods.filter(\.hasBody).map(\.name))
                    centerMembers.formUnion(type.methods.map(\.name))
                    centerMembers.formUnion(type.variables.map(\.name))
                    if let last = name.split(separator: ".").last {
                        centerMembers.insert(String(last))
                    }
                }
                for type in types {
                    declared.formUnion(type.methods.map(\.name))
                    declared.formUnion(type.variables.map(\.name))
                }
            }
            for type in module.types.values.joined() where type.kind == .class {
                // A method of a subclass is a member, too.
                if type.declaredInheritance.contains("NotificationCenter") {
                    centerMembers.formUnion(type.methods.map(\.name))
                    centerMembers.formUnion(type.variables.map(\.name))
                }
            }
            // These members come from a protocol that the center conforms to.
            for name in module.types["NotificationCenter"]?.flatMap(\.inheritance) ?? [] {
                for type in module.types[name] ?? [] {
                    centerMethods.formUnion(type.methods.filter(\.hasBody).map(\.name))
                    centerMembers.formUnion(type.methods.map(\.name))
                    centerMembers.formUnion(type.variables.map(\.name))
                }
            }
            declared.formUnion(module.functions.keys)
            declared.formUnion(module.globals.keys)
            declared.formUnion(module.aliases.keys)
        }
        for file in modules.flatMap(\.files) { declared.formUnion(CaseNames.all(in: file.tree)) }
    }

    /// Whether the package declares something of a name.
    func declares(_ name: String) -> Bool { declared.contains(name) }

    /// Whether a method of a name that the package declares may keep its closure, or call it
    /// elsewhere.
    func callsLater(_ name: String) -> Bool {
        modules.contains { module in
            module.types.values.joined().flatMap(\.methods).contains { method in
                guard method.name.withoutBackticks == name, let body = method.node.body else {
                    return false
                }
                return body.description.contains("async") || body.statements.count > 3
                    || method.node.signature.parameterClause.description.contains("@escaping")
            }
        }
    }

    /// Whether a call of a method on the center may mean one that the package adds.
    func implementsForCenter(_ name: String) -> Bool { centerMethods.contains(name) }

    /// Whether the package adds a member of a name to the center.
    func extendsCenter(with name: String) -> Bool { centerMembers.contains(name) }
}

/// Finds the names of enumerations' cases and of local functions.
private final class CaseNames: SyntaxVisitor {
    private var names: Set<String> = []

    static func all(in tree: SourceFileSyntax) -> Set<String> {
        let finder = CaseNames(viewMode: .sourceAccurate)
        finder.walk(tree)
        return finder.names
    }

    override func visit(_ node: EnumCaseElementSyntax) -> SyntaxVisitorContinueKind {
        names.insert(node.name.text)
        return .skipChildren
    }

    override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
        names.insert(node.name.text)
        return .visitChildren
    }

    override func visit(_ node: FunctionParameterSyntax) -> SyntaxVisitorContinueKind {
        names.insert((node.secondName ?? node.firstName).text)
        return .visitChildren
    }

    override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
        for variable in VariableInfo.all(in: node) { names.insert(variable.name) }
        return .visitChildren
    }
}

extension ModuleIndex {
    /// Whether a name means a type of the module's own at a node.
    func hasOwnType(_ name: String, at node: some SyntaxProtocol, in file: SourceFile) -> Bool {
        if let type = type(named: name, at: node, in: file) { return type.kind != .outside }
        // The name means several types, or is an alias for something else.
        if types[name]?.contains(where: { $0.kind != .outside && $0.scope == nil }) == true {
            return true
        }
        return aliases[name] != nil && !isSwitchedByAlias(name)
    }

    /// Whether a class of the module is a center.
    func isCenterSubclass(_ type: TypeInfo) -> Bool {
        // The last class is the center's own where the module extends it.
        chain(of: type).contains {
            $0.kind == .class && $0.declaredInheritance.first == "NotificationCenter"
        }
    }

    /// Whether an alias of the module makes a class Switchyard's in every file.
    func isSwitchedByAlias(_ name: String) -> Bool {
        aliases[name]?.contains { $0.trimmedDescription == "Switchyard.\(name)" } == true
    }
}
