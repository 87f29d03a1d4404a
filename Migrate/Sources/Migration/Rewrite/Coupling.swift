// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwiftSyntax

/// Finds the files that stay because they give centers to files that keep Foundation's, or get some there.
///
/// Declarations that mention a center, and that other files see, go by their names: whichever files mention
/// such a name have the same center.
struct Coupling {
    private let works: [FileWork]
    private let left: Set<ObjectIdentifier>

    /// Takes all files, and the files that stay for reasons of their own.
    init(_ works: [FileWork], _ left: Set<ObjectIdentifier>) {
        self.works = works
        self.left = left
    }

    /// The files that stay with those that keep Foundation's center; `first` is the one to name in reports.
    func files(of first: FileWork) -> Set<ObjectIdentifier> {
        let crossing = works.reduce(into: Set<String>()) { $0.formUnion($1.uses.crossingNames) }
        guard works.contains(where: \.uses.crossesFiles) else { return [] }
        if works.contains(where: \.uses.crossesByConformance) {
            return stay(works.map { ($0, first, nil) })
        }
        let mentioned = works.map { Self.names(crossing, in: $0) }
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
        var found = work.uses.crossingNames
        for token in work.file.tree.tokens(viewMode: .sourceAccurate) {
            guard let name = name(of: token), names.contains(name), !found.contains(name),
                mentionsOther(token, in: work)
            else { continue }
            found.insert(name)
        }
        return found
    }

    /// The name by which a function with a parameter for a center goes.
    static func name(_ function: String, _ label: String) -> String {
        label == "_" ? function : "\(function)(\(label):)"
    }

    /// The name under which a declaration of another file may be meant.
    private static func name(of token: TokenSyntax) -> String? {
        if let argument = token.parent?.as(LabeledExprSyntax.self), argument.label?.id == token.id {
            let call = argument.parent?.parent?.as(FunctionCallExprSyntax.self)
            guard let callee = call?.calledExpression else { return nil }
            // `Type.init(…)` and `.init(…)` both end in `init`.
            let member = callee.as(MemberAccessExprSyntax.self)?.declName.baseName.text
            return (member ?? callee.calleeName).map { name($0, token.text) }
        }
        guard case .identifier(let text) = token.tokenKind else { return nil }
        return text
    }

    /// Whether a name may mean a declaration of another file.
    private static func mentionsOther(_ token: TokenSyntax, in work: FileWork) -> Bool {
        guard let parent = token.parent else { return true }
        // A declaration that other files do not see is no matter of theirs.
        if parent.is(IdentifierPatternSyntax.self) || parent.is(FunctionParameterSyntax.self) {
            return false
        }
        guard let reference = parent.as(DeclReferenceExprSyntax.self) else { return true }
        if let member = reference.parent?.as(MemberAccessExprSyntax.self),
            member.declName.id == reference.id,
            !["self", "self?", "self!"].contains(member.base?.trimmedDescription)
        {
            return true
        }
        let declared = work.resolver.variable(named: token.text, at: reference)
        return declared.map { $0.node.root.id != work.file.tree.root.id } ?? true
    }

    private func stay(
        _ files: [(work: FileWork, because: FileWork, name: String?)]
    )
        -> Set<ObjectIdentifier>
    {
        var staying: Set<ObjectIdentifier> = []
        for (work, because, name) in files {
            guard let first = work.uses.switched.first, !left.contains(ObjectIdentifier(work))
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
