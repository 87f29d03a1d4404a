// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwiftSyntax

/// Finds the places at which a file names or calls the center, and the obstacles to switching the
/// file.
final class UseFinder: SyntaxVisitor {
    let work: FileWork
    let package: PackageIndex
    var uses = CenterUses()
    /// Centers that other modules get, and that become Foundation's.
    var given: Set<SyntaxIdentifier> = []
    private lazy var importsOpenCombine = ImportFinder.all(in: work.file.tree).contains {
        $0.module == "SwitchyardOpenCombine"
    }

    /// The center's members that both Foundation and Switchyard have, and those of Switchyard.
    static let knownMembers: Set<String> = [
        "default", "init", "self", "Type", "addObserver", "removeObserver", "post", "publisher",
        "notifications", "messages", "observe", "stream", "postAndReport", "postAndWait",
        "postWhenRoom", "postsToFoundation", "onProblem", "onDeadLetter", "snapshot", "expect",
        "expectNone", "record", "withDefault", "hash", "hashValue", "description", "Publisher",
        "Notifications", "Messages", "MainActorMessage", "AsyncMessage", "MessageIdentifier",
        "BaseMessageIdentifier", "ObservationToken",
    ]
    /// Functions of other modules that take a value of any type.
    private static let anyTaking: Set<String> = [
        "print", "debugPrint", "type", "ObjectIdentifier", "withExtendedLifetime", "String",
        "Optional", "Mirror", "dump", "XCTAssertEqual", "XCTAssertNotEqual", "XCTAssertTrue",
        "XCTAssertIdentical", "XCTAssertNil", "XCTAssertNotNil", "XCTUnwrap", "Array", "Set",
        "NotificationQueue", "NotificationCenter", "isKnownUniquelyReferenced", "append", "insert",
        "expect", "require", "unsafeBitCast", "Unmanaged", "passUnretained", "AnyHashable",
    ]

    /// Whether the old form stays for Apple's systems.
    private let isForDarwin: Bool

    private init(work: FileWork, package: PackageIndex, isForDarwin: Bool) {
        self.isForDarwin = isForDarwin
        self.work = work
        self.package = package
        super.init(viewMode: .sourceAccurate)
    }

    /// Fills in the file's uses of the center.
    static func find(in work: FileWork, of package: PackageIndex, isForDarwin: Bool) {
        let finder = UseFinder(work: work, package: package, isForDarwin: isForDarwin)
        finder.walk(work.file.tree)
        work.uses = finder.uses
    }

    // MARK: - Names

    override func visit(_ node: ImportDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }

    override func visit(_ node: DeclReferenceExprSyntax) -> SyntaxVisitorContinueKind {
        if let member = node.parent?.as(MemberAccessExprSyntax.self), member.declName.id == node.id,
            let base = member.base
        {
            if base.trimmedDescription == "Foundation" { note(foundation: node.baseName) }
            // `Switchyard.NotificationCenter` is switched already; another module's is not meant.
            return .visitChildren
        }
        note(name: node.baseName, at: Syntax(node))
        return .visitChildren
    }

    override func visit(_ node: IdentifierTypeSyntax) -> SyntaxVisitorContinueKind {
        note(name: node.name, at: Syntax(node))
        return .visitChildren
    }

    override func visit(_ node: MemberTypeSyntax) -> SyntaxVisitorContinueKind {
        if node.baseType.trimmedDescription == "Foundation" { note(foundation: node.name) }
        return .visitChildren
    }

    private func note(foundation name: TokenSyntax) {
        guard ["NotificationCenter", "NotificationQueue"].contains(name.text) else { return }
        // The advice names Switchyard where the module has a type of its own with that name.
        let advice =
            work.module.hasOwnType(name.text, at: name, in: work.file)
            ? "write `Switchyard.\(name.text)`" : "remove `Foundation.`"
        work.report(
            .left, .centerOutside, at: name,
            "`Foundation.\(name.text)` names Foundation's class: \(advice) if Switchyard's is meant"
        )
    }

    private func note(name: TokenSyntax, at node: Syntax) {
        switch name.text {
        case "NotificationCenter", "NotificationQueue":
            guard !work.module.hasOwnType(name.text, at: node, in: work.file),
                !work.module.isSwitchedByAlias(name.text)
            else { return }
            guard !work.file.leavesOut(node) else {
                work.report(
                    .note, .appleBranch, at: name,
                    "Linux does not compile this branch; it stays as it is")
                return
            }
            uses.names.append(name)
            if !isCallOfDefault(name) { uses.passesCenters = true }
            // `NotificationCenter.Publisher` hands nobody a center.
            if node.parent?.is(MemberTypeSyntax.self) != true { noteInterface(node) }
        case "DistributedNotificationCenter":
            // Apple's center is that of the system and of other programs.
            guard !work.module.hasOwnType(name.text, at: node, in: work.file),
                !work.file.leavesOut(node), !work.file.isForApple
            else { return }
            uses.distributed.append(name)
        default: break
        }
    }

    /// Whether a name begins a call of the default center's own method, as
    /// `NotificationCenter.default.post(…)`.
    private func isCallOfDefault(_ name: TokenSyntax) -> Bool {
        guard name.text == "NotificationCenter",
            let center = name.parent?.parent?.as(MemberAccessExprSyntax.self),
            center.declName.baseName.text == "default",
            let member = center.parent?.as(MemberAccessExprSyntax.self),
            member.base?.id == ExprSyntax(center).id,
            member.parent?.as(FunctionCallExprSyntax.self)?.calledExpression.id
                == ExprSyntax(member).id
        else { return false }
        let method = member.declName.baseName.text
        return Self.knownMembers.contains(method) && !package.implementsForCenter(method)
    }

    /// Notes whether other files, or other modules, see the declaration whose type names a center.
    private func noteInterface(_ node: Syntax) {
        var access: Access?
        for ancestor in node.ancestors {
            if ancestor.is(CodeBlockSyntax.self) || ancestor.is(ClosureExprSyntax.self)
                || ancestor.is(AccessorBlockSyntax.self)
            {
                let isInlined = ancestor.ancestors.contains {
                    $0.asProtocol((any WithAttributesSyntax).self)?.attributes.names
                        .contains { $0 == "inlinable" || $0 == "_transparent" } == true
                }
                if isInlined { uses.isInInterface = true }
                return
            }
            guard let declaration = ancestor.asProtocol((any WithModifiersSyntax).self),
                ancestor.isProtocol((any DeclSyntaxProtocol).self)
            else { continue }
            if let extended = ancestor.as(ExtensionDeclSyntax.self) {
                if extended.extendedType.range.contains(node.range.lowerBound) {
                    uses.crossesFiles = true
                    uses.crossingNames.formUnion(Self.memberNames(extended.memberBlock.members))
                    if extended.inheritanceClause != nil { uses.crossesByConformance = true }
                    if Access(extended.modifiers) ?? .internal >= .public
                        || extended.memberBlock.members.contains(where: Self.isPublic)
                    {
                        uses.isInInterface = true
                    }
                    return
                }
                access = access ?? Access(extended.modifiers)
            }
            access = access ?? Access(declaration.modifiers)
            if declaration.modifiers.contains(where: { $0.name.text == "override" }),
                let type = work.module.enclosingType(of: declaration),
                work.module.hasOutsideSuperclass(type), !work.module.isCenterSubclass(type)
            {
                stop(
                    at: node, .centerOutside,
                    "another module declares what this overrides, with Foundation's center")
            }
            if access ?? .internal <= .fileprivate { return }
        }
        if access ?? .internal > .fileprivate {
            uses.crossesFiles = true
            uses.crossingNames.formUnion(Self.declaredNames(around: node))
        }
        if access ?? .internal >= .public { uses.isInInterface = true }
    }

    /// The names under which other files reach a declaration whose type is at a node. A parameter
    /// with a label is reached by calls that have it, and goes by both, as in `observe(center:)`.
    private static func declaredNames(around node: Syntax) -> Set<String> {
        var names: Set<String> = []
        var label: String?
        var isStored = false
        for ancestor in node.ancestors {
            if let parameter = ancestor.as(FunctionParameterSyntax.self) {
                label = parameter.firstName.text
            } else if let function = ancestor.as(FunctionDeclSyntax.self), let label {
                names.insert(Coupling.name(function.name.text, label))
            } else if ancestor.is(InitializerDeclSyntax.self), let label {
                let initialiser = Coupling.name("init", label)
                names.insert(initialiser)
                if ancestor.ancestors.contains(where: { $0.is(ProtocolDeclSyntax.self) }) {
                    names.insert(Coupling.requirement(initialiser))
                }
                if let type = enclosingTypeName(of: ancestor) {
                    names.insert(Coupling.name(type, label))
                }
            } else if let binding = ancestor.as(PatternBindingSyntax.self) {
                names.formUnion(identifiers(in: Syntax(binding.pattern)))
                isStored = true
            } else if ancestor.isProtocol((any DeclGroupSyntax).self), !names.isEmpty,
                !ancestor.is(ProtocolDeclSyntax.self)
            {
                // The initialiser that a structure has of itself is called by the type's name.
                if isStored, let type = ancestor.as(StructDeclSyntax.self) {
                    names.insert(type.name.text)
                }
                break
            } else if let named = ancestor.asProtocol((any NamedDeclSyntax).self) {
                names.insert(named.name.text)
            } else if let element = ancestor.as(EnumCaseElementSyntax.self) {
                names.insert(element.name.text)
            }
        }
        return names
    }

    private static func enclosingTypeName(of node: Syntax) -> String? {
        for ancestor in node.ancestors {
            if let extended = ancestor.as(ExtensionDeclSyntax.self) {
                return extended.extendedType.plainName.split(separator: ".").last.map(String.init)
            }
            if ancestor.isProtocol((any DeclGroupSyntax).self) {
                return ancestor.asProtocol((any NamedDeclSyntax).self)?.name.text
            }
        }
        return nil
    }

    private static func memberNames(_ members: MemberBlockItemListSyntax) -> Set<String> {
        members.reduce(into: []) { names, member in
            // Every file has Foundation's types under these names.
            if let named = member.decl.asProtocol((any NamedDeclSyntax).self),
                !["Notification", "Name"].contains(named.name.text)
            {
                names.insert(named.name.text)
            } else if let variable = member.decl.as(VariableDeclSyntax.self) {
                for binding in variable.bindings {
                    names.formUnion(identifiers(in: Syntax(binding.pattern)))
                }
            }
        }
    }

    private static func identifiers(in node: Syntax) -> [String] {
        node.tokens(viewMode: .sourceAccurate).compactMap {
            if case .identifier(let text) = $0.tokenKind { text } else { nil }
        }
    }

    private static func isPublic(_ member: MemberBlockItemSyntax) -> Bool {
        guard let modified = member.decl.asProtocol((any WithModifiersSyntax).self) else {
            return false
        }
        return Access(modified.modifiers) ?? .internal >= .public
    }

    // MARK: - Members and arguments

    override func visit(_ node: MemberAccessExprSyntax) -> SyntaxVisitorContinueKind {
        if given.contains(node.id) || noteFoundation(node) { return .skipChildren }
        guard let base = node.base, !work.file.leavesOut(node), work.module.mayBeCenter(base) else {
            return .visitChildren
        }
        // A member of an optional is none of the center.
        guard case .center = work.resolver.type(of: base) else { return .visitChildren }
        let name = node.declName.baseName.text
        if !Self.knownMembers.contains(name), !package.extendsCenter(with: name) {
            if !isForDarwin, let block = CenterBlock(node, of: package) {
                uses.blocks.append(block)
                uses.calls.append(Syntax(node))
                return .visitChildren
            }
            let obstacle =
                "`\(name)` is no member of the center that Switchyard has; another module may add it to Foundation's"
            guard work.file.isForApple else {
                stop(at: node, .centerMember, obstacle)
                uses.calls.append(Syntax(node))
                return .visitChildren
            }
            return noteOutside(
                node, of: base, .centerMember, else: obstacle,
                Self.reason(for: name))
        }
        if givesSelectorMethod(node) {
            stop(
                at: node, .centerMember,
                "`\(node.trimmedDescription)` is given as a function that takes a `Selector`, which Switchyard's center does not have: write a closure that calls `observe`"
            )
            uses.calls.append(Syntax(node))
            return .visitChildren
        }
        if name == "publisher", work.file.isForApple, !importsOpenCombine {
            return noteOutside(
                node, of: base, .combine,
                else:
                    "`publisher` of Switchyard's center is OpenCombine's, and this file uses Combine's",
                Self.reason(for: name))
        }
        if base.trimmedDescription != "NotificationCenter.default" { uses.passesCenters = true }
        uses.calls.append(Syntax(node))
        return .visitChildren
    }

    override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
        guard !work.file.leavesOut(node) else { return .visitChildren }
        var callee = node.calledExpression.calleeName
        if node.calledExpression.as(MemberAccessExprSyntax.self)?.base?.is(SuperExprSyntax.self)
            == true,
            let type = work.module.enclosingType(of: node), work.module.hasOutsideSuperclass(type),
            !work.module.isCenterSubclass(type)
        {
            callee = "super.init"
        }
        for argument in node.arguments where work.module.mayBeCenter(argument.expression) {
            if let callee, package.declares(callee) {
                refuseOther(argument.expression, for: callee)
            }
            guard case .center = work.resolver.type(of: argument.expression).unwrapped,
                let callee, !Self.anyTaking.contains(callee), !package.declares(callee),
                !isOwnInitializer(callee, argument)
            else { continue }
            if giveFoundation(argument.expression, to: callee) { continue }
            stop(
                at: argument, .centerOutside,
                "`\(callee)` of another module gets the center, and may ask for Foundation's")
        }
        return .visitChildren
    }

    /// Whether `self.init(…)` calls an initialiser of the package, which has the argument's label.
    private func isOwnInitializer(_ callee: String, _ argument: LabeledExprSyntax) -> Bool {
        guard ["self", "Self"].contains(callee), let label = argument.label?.text else {
            return false
        }
        return package.declares(label)
    }

    override func visit(_ node: SequenceExprSyntax) -> SyntaxVisitorContinueKind {
        let elements = Array(node.elements)
        if elements.count == 3, elements[1].is(AssignmentExprSyntax.self),
            case .center = work.resolver.type(of: elements[0]).unwrapped
        {
            refuseOther(elements[2], for: elements[0].trimmedDescription)
        }
        guard !work.file.leavesOut(node), elements.count == 3,
            elements[1].is(AssignmentExprSyntax.self),
            let name = elements[0].calleeName, !package.declares(name),
            case .center = work.resolver.type(of: elements[2]).unwrapped
        else { return .visitChildren }
        if giveFoundation(elements[2], to: name) { return .visitChildren }
        stop(
            at: node, .centerOutside,
            "`\(name)` of another module gets the center, and may ask for Foundation's")
        return .visitChildren
    }

    override func visit(_ node: FunctionParameterSyntax) -> SyntaxVisitorContinueKind {
        if let value = node.defaultValue?.value, case .center = work.resolver.type(of: node.type) {
            refuseOther(value, for: (node.secondName ?? node.firstName).text)
        }
        return .visitChildren
    }

    override func visit(_ node: PatternBindingSyntax) -> SyntaxVisitorContinueKind {
        if let type = node.typeAnnotation?.type, let value = node.initializer?.value,
            case .center = work.resolver.type(of: type).unwrapped
        {
            refuseOther(value, for: node.pattern.trimmedDescription)
        }
        guard !work.file.leavesOut(node), let type = node.typeAnnotation?.type,
            let value = node.initializer?.value,
            case .center = work.resolver.type(of: type).unwrapped,
            work.resolver.type(of: value).isUnknown,
            let name = value.as(FunctionCallExprSyntax.self)?.calledExpression.calleeName
                ?? value.calleeName,
            value.as(MemberAccessExprSyntax.self)?.base != nil
                || value.is(FunctionCallExprSyntax.self),
            !package.declares(name)
        else { return .visitChildren }
        stop(at: value, .centerOutside, "`\(name)` of another module may be Foundation's center")
        return .visitChildren
    }

    /// Leaves the file where a center that stays Apple's goes to a name whose type would become
    /// Switchyard's.
    private func refuseOther(_ center: ExprSyntax, for name: String) {
        guard work.file.isForApple, work.module.mayBeCenter(center),
            OtherCenter.obstacle(center, work) != nil
        else { return }
        stop(
            at: center, .centerOutside,
            "`\(name)` gets `\(center.trimmedDescription)`, which stays Apple's: write `Foundation.NotificationCenter` as its type"
        )
    }

    func stop(at node: some SyntaxProtocol, _ code: Finding.Code, _ message: String) {
        uses.obstacles.append((Syntax(node), Obstacle(code, message)))
    }

    /// A call of `publisher(for:)` on the center that an extension extends.
    private static func implicitPublisher(in node: ExtensionDeclSyntax) -> TokenSyntax? {
        node.memberBlock.tokens(viewMode: .sourceAccurate).first { token in
            guard token.text == "publisher",
                let reference = token.parent?.as(DeclReferenceExprSyntax.self)
            else { return false }
            let call = reference.parent?.as(FunctionCallExprSyntax.self)
            return call?.calledExpression.id == ExprSyntax(reference).id
                && call?.arguments.first?.label?.text == "for"
        }
    }

    override func visit(_ node: ExtensionDeclSyntax) -> SyntaxVisitorContinueKind {
        if node.extendedType.plainName == "NotificationCenter", !work.file.leavesOut(node),
            node.inheritanceClause.names.contains(where: { $0.hasSuffix("Sendable") })
        {
            stop(at: node, .centerMember, "Switchyard's center is `Sendable` already: remove this")
        }
        if !work.file.leavesOut(node), let asked = CenterProtocol.asked(by: node, in: work) {
            if let witness = CenterWitness(asked, for: node, in: work) {
                uses.witnesses.append(witness)
            } else {
                stop(
                    at: node, .centerMember,
                    "`\(asked.name)` asks for `addObserver` with a `Selector`, which Switchyard's center does not have: ask for `observe` in its place"
                )
            }
        }
        if node.extendedType.plainName == "NotificationCenter", work.file.isForApple,
            !importsOpenCombine, let publisher = Self.implicitPublisher(in: node)
        {
            stop(
                at: publisher, .combine,
                "`publisher` of Switchyard's center is OpenCombine's, and this file uses Combine's")
        }
        return .visitChildren
    }
}

extension ExprSyntax {
    /// The last name of the callee.
    var calleeName: String? {
        if let reference = self.as(DeclReferenceExprSyntax.self) { return reference.baseName.text }
        if let member = self.as(MemberAccessExprSyntax.self) {
            // `Type.init(…)` calls the type's initialiser; `.init(…)` names none.
            if member.declName.baseName.text == "init" { return member.base?.calleeName }
            return member.declName.baseName.text
        }
        if let generic = self.as(GenericSpecializationExprSyntax.self) {
            return generic.expression.calleeName
        }
        if let chained = self.as(OptionalChainingExprSyntax.self) {
            return chained.expression.calleeName
        }
        return nil
    }
}
