// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwiftSyntax

/// A method for selectors that an extension gives to Switchyard's center on Apple's systems,
/// because a protocol of the module asks for it.
struct CenterWitness {
    /// The extension that conforms to the protocol.
    let node: ExtensionDeclSyntax
    let asked: TypeInfo
    private let requirement: MethodInfo
    private let work: FileWork

    /// Nil if the protocol asks for something that this method does not have.
    init?(_ asked: TypeInfo, for node: ExtensionDeclSyntax, in work: FileWork) {
        let requirements = CenterProtocol.requirements(of: asked)
        guard work.file.isForApple, work.languageMode == .v5, !asked.isObjc,
            asked.methods.allSatisfy({ $0.attribute("objc") == nil }),
            !work.module.hasOwnType("Selector", at: node, in: work.file),
            Self.protocols(askingIn: work.module) == 1, requirements.count == 1,
            let requirement = requirements.first, !requirement.isLeftOut,
            Self.isFoundations(requirement)
        else { return nil }
        (self.node, self.asked, self.requirement, self.work) = (node, asked, requirement, work)
    }

    /// The number of protocols that ask the module's center for such a method.
    private static func protocols(askingIn module: ModuleIndex) -> Int {
        let names = Set(module.types["NotificationCenter"]?.flatMap(\.inheritance) ?? [])
        return names.flatMap { module.types[$0] ?? [] }.count(
            where: CenterProtocol.takesSelectors)
    }

    /// Whether a method has the parameters of Foundation's.
    private static func isFoundations(_ method: MethodInfo) -> Bool {
        let signature = method.node.signature
        let parameters = Array(signature.parameterClause.parameters)
        guard method.labels == ["_", "selector", "name", "object"], !method.hasResult,
            parameters.allSatisfy({ ($0.secondName ?? $0.firstName).text != "_" }),
            !method.isStatic, signature.effectSpecifiers == nil,
            method.node.genericParameterClause == nil,
            !signature.parameterClause.description.contains("//"),
            !signature.parameterClause.description.contains("/*")
        else { return false }
        let types = parameters.map(\.type.trimmedDescription)
        return ["Any", "AnyObject"].contains(types[0]) && types[1] == "Selector"
            && ["NSNotification.Name?", "Notification.Name?", "NSNotification.Name"].contains(
                types[2])
            && types[3] == "Any?"
    }

    /// Whether the module gives the center the method already.
    var isThere: Bool {
        work.module.types["NotificationCenter"]?.flatMap(\.methods).contains {
            $0.name == "addObserver" && $0.hasBody && !$0.isLeftOut && Self.isFoundations($0)
        } == true
    }

    /// Adds the method. Returns false if the place is changed otherwise.
    func add() -> Bool {
        let block = node.memberBlock
        let start = block.leftBrace.range.upperBound
        let outer = work.file.newline + work.file.indentation(at: node.range.lowerBound)
        let inner = outer + "    "
        let text =
            inner + access + "func addObserver" + parameterClause + " {" + inner + "    " + call
            + inner + "}"
        let isEmpty =
            block.members.isEmpty && !block.leftBrace.trailingTrivia.contains(where: \.isAnyComment)
            && !block.rightBrace.leadingTrivia.contains(where: \.isAnyComment)
        let end = isEmpty ? block.rightBrace.range.lowerBound : start
        // The first member may stand behind the brace.
        let isOnOneLine =
            !isEmpty && block.members.first?.leadingTrivia.contains(where: \.isNewline) == false
            && !block.leftBrace.trailingTrivia.contains(where: \.isNewline)
        let rest = isEmpty ? outer : isOnOneLine ? outer + "   " : ""
        guard work.edit([Edit(range: start..<end, text: text + rest)]) else { return false }
        if !access.isEmpty { work.uses.isInInterface = true }
        work.report(
            .changed, .observe, at: node,
            "the center has the `addObserver` with a `Selector` for which `\(asked.name)` asks")
        return true
    }

    private var access: String {
        switch asked.access {
        case .public, .open: "public "
        case .package: "package "
        default: ""
        }
    }

    private var parameterClause: String {
        requirement.node.signature.parameterClause.trimmedDescription
    }

    private var call: String {
        let parameters = Array(requirement.node.signature.parameterClause.parameters)
        let names = parameters.map { ($0.secondName ?? $0.firstName).text }
        let isObject = parameters[0].type.trimmedDescription == "AnyObject"
        let types = NotificationTypes(at: node, in: work.file, of: work.module)
        let closure = PerformForm.closure(
            capturing: names[1] == "selector" ? names[1] : "selector = " + names[1], types)
        return "observe(\(names[2]), of: \(names[3]), with: \(names[0])"
            + (isObject ? "" : " as AnyObject") + ", \(closure))"
    }
}

/// Gives centers the methods for which protocols ask.
enum CenterWitnesses {
    /// The protocols that Switchyard's center conforms to with such a method, in the files that
    /// move.
    static func add(in works: [FileWork], except left: Set<ObjectIdentifier>) -> [TypeInfo] {
        works.filter { !left.contains(ObjectIdentifier($0)) }.flatMap(\.uses.witnesses).filter {
            $0.isThere || $0.add()
        }.map(\.asked)
    }
}
