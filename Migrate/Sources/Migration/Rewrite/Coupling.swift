// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwiftSyntax

/// Finds the files that stay because they give centers to files that keep Foundation's, or get some
/// there.
///
/// Declarations that mention a center, and that other files see, go by their names: whichever files
/// mention such a name have the same center.
struct Coupling {
    private let works: [FileWork]
    private let left: Set<ObjectIdentifier>

    /// Takes all files, and the files that stay for reasons of their own.
    init(_ works: [FileWork], _ left: Set<ObjectIdentifier>) {
        self.works = works
        self.left = left
    }

    /// The files that stay with those that keep Foundation's center; `first` is the one to name in
    /// reports.
    func files(of first: FileWork) -> Set<ObjectIdentifier> {
        let crossing = works.reduce(into: Set<String>()) { $0.formUnion($1.uses.crossingNames) }
        guard works.contains(where: \.uses.crossesFiles) else { return [] }
        if works.contains(where: \.uses.crossesByConformance) {
            // A file that only calls the default center has no value under another name.
            return stay(works.filter(\.uses.passesCenters).map { ($0, first, nil) })
        }
        let mentions = works.map { Self.names(crossing, in: $0) }
        let called = mentions.reduce(into: Set<String>()) { $0.formUnion($1) }
        let mentioned = zip(works, mentions).map { work, mentions in
            // Initialisers of different types have nothing in common but their labels, unless a
            // call does not name the type, or a protocol asks for one.
            mentions.union(
                work.uses.crossingNames.filter {
                    !$0.hasPrefix("init(") || called.contains($0)
                        || crossing.contains(Self.requirement($0))
                })
        }
        var filesByName: [String: [Int]] = [:]
        for (index, names) in mentioned.enumerated() {
            for name in names { filesByName[name, default: []].append(index) }
        }
        var reached: Set<Int> = []
        var because: [Int: (work: FileWork, name: String?)] = [:]
        var next = works.indices.filter { keepsFoundation(works[$0]) }
        for index in next { because[index] = (works[index], nil) }
        var names: Set<String> = []
        while let index = next.popLast() {
            guard reached.insert(index).inserted else { continue }
            for name in mentioned[index].sorted() where names.insert(name).inserted {
                for other in filesByName[name] ?? [] where because[other] == nil {
                    because[other] = because[index].map { ($0.work, name) }
                    next.append(other)
                }
            }
        }
        return stay(
            reached.sorted().map { index in
                (works[index], because[index]?.work ?? first, because[index]?.name)
            })
    }

    private func keepsFoundation(_ work: FileWork) -> Bool {
        left.contains(ObjectIdentifier(work)) && work.couples
    }

    /// The names among `names` that a file mentions.
    private static func names(_ names: Set<String>, in work: FileWork) -> Set<String> {
        guard !names.isEmpty else { return [] }
        var found: Set<String> = []
        for token in work.file.tree.tokens(viewMode: .sourceAccurate) {
            let new = Self.names(of: token, in: work).filter {
                names.contains($0) && !found.contains($0)
            }
            guard !new.isEmpty, mentionsOther(token, in: work) else { continue }
            found.formUnion(new)
        }
        return found
    }

    /// The name by which a function with a parameter for a center goes.
    static func name(_ function: String, _ label: String) -> String {
        label == "_" ? function : "\(function)(\(label):)"
    }

    /// The name by which an initialiser that a protocol asks for goes, beside its own.
    static func requirement(_ initialiser: String) -> String { "protocol " + initialiser }

    /// The names under which a declaration of another file may be meant.
    private static func names(of token: TokenSyntax, in work: FileWork) -> [String] {
        if let argument = token.parent?.as(LabeledExprSyntax.self), argument.label?.id == token.id {
            let call = argument.parent?.parent?.as(FunctionCallExprSyntax.self)
            guard let callee = call?.calledExpression else { return [] }
            let member = callee.as(MemberAccessExprSyntax.self)
            if member?.declName.baseName.text == "init", let base = member?.base,
                let type = work.module.enclosingType(of: token)
            {
                if ["self", "Self"].contains(base.trimmedDescription) {
                    return initialisers(of: work.module.chain(of: type), token.text)
                }
                // A superclass that another module declares is none of these.
                if base.is(SuperExprSyntax.self) {
                    let above = work.module.chain(of: type).dropFirst()
                    return initialisers(of: above, token.text)
                }
            }
            // `Type.init(…)` and `.init(…)` both end in `init`.
            guard let called = member?.declName.baseName.text ?? callee.calleeName else {
                return []
            }
            let own = work.module.types[called]?.first.map { work.module.chain(of: $0) } ?? []
            return [name(called, token.text)] + initialisers(of: own, token.text)
        }
        guard case .identifier(let text) = token.tokenKind else { return [] }
        return [text]
    }

    /// The names of the initialisers with a label that a class has from its superclasses, too.
    private static func initialisers(
        of types: some Sequence<TypeInfo>, _ label: String
    ) -> [String] {
        types.map { name(String($0.name.split(separator: ".").last ?? ""), label) }
    }

    /// Whether a name may mean a declaration of another file.
    private static func mentionsOther(_ token: TokenSyntax, in work: FileWork) -> Bool {
        guard let parent = token.parent else { return true }
        // A declaration that other files do not see is no matter of theirs.
        if parent.is(IdentifierPatternSyntax.self) || parent.is(FunctionParameterSyntax.self) {
            return false
        }
        guard let reference = parent.as(DeclReferenceExprSyntax.self) else { return true }
        if isCentersOwn(reference, in: work) { return false }
        if let member = reference.parent?.as(MemberAccessExprSyntax.self),
            member.declName.id == reference.id,
            !["self", "self?", "self!"].contains(member.base?.trimmedDescription)
        {
            return true
        }
        let declared = work.resolver.variable(named: token.text, at: reference)
        return declared.map { $0.node.root.id != work.file.tree.root.id } ?? true
    }

    /// Whether a name calls the center's own method, and nothing that another file declares: no
    /// type of the module has a method with these labels.
    private static func isCentersOwn(
        _ reference: DeclReferenceExprSyntax, in work: FileWork
    ) -> Bool {
        guard reference.baseName.text == "addObserver",
            let member = reference.parent?.as(MemberAccessExprSyntax.self),
            let call = member.parent?.as(FunctionCallExprSyntax.self),
            call.calledExpression.id == ExprSyntax(member).id
        else { return false }
        let selectorForm = ["_", "selector", "name", "object"]
        let blockForm = ["forName", "object", "queue", "using"]
        guard
            let form = [selectorForm, blockForm].first(where: { form in
                call.labels == form || form == blockForm && call.labels == Array(form.dropLast())
            })
        else { return false }
        return !work.module.types.values.joined().flatMap(\.methods).contains {
            $0.name == "addObserver" && $0.labels == form && $0.hasBody
        }
    }

    /// Whether a file does nothing with centers but set the property with which a program starts.
    private static func onlySetsProperty(_ work: FileWork) -> Bool {
        work.uses.names.count == 1 && work.file.mentions([FoundationPosts.property])
    }

    private func stay(
        _ files: [(work: FileWork, because: FileWork, name: String?)]
    )
        -> Set<ObjectIdentifier>
    {
        var staying: Set<ObjectIdentifier> = []
        for (work, because, name) in files {
            guard let first = work.uses.switched.first, !left.contains(ObjectIdentifier(work)),
                !Self.onlySetsProperty(work)
            else { continue }
            staying.insert(ObjectIdentifier(work))
            let message =
                "files of this package give each other centers\(name.map { " through `\($0)`" } ?? ""), and `\(because.file.path)` keeps Foundation's"
            work.report(.left, .coupled, at: first, message)
            work.reasonToStay = Obstacle(.coupled, message)
        }
        return staying
    }
}
