// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwiftSyntax

/// Turns Combine into OpenCombine in files that use publishers of the center.
struct CombineRewriter {
    /// The files of a module.
    let works: [FileWork]

    /// The names of members that Combine has and OpenCombine 0.14 has not, but for `merge`.
    private static let missing: Set<String> = [
        "combineLatest", "byTime", "byTimeOrCount", "KeyValueObservingPublisher",
    ]
    /// The types of `Publishers` among what is missing. Other types may have some of these names, too.
    private static let missingTypes: Set<String> = [
        "CombineLatest", "CombineLatest3", "CombineLatest4", "Merge", "Merge3", "Merge4", "Merge5",
        "Merge6", "Merge7", "Merge8", "MergeMany", "CollectByTime", "TimeGroupingStrategy",
    ]

    func rewrite() {
        var plans: [(work: FileWork, use: CombineUse)] = []
        var hindrance: String?
        for work in works {
            let use = CombineUse.find(in: work)
            guard !use.imports.isEmpty else { continue }
            plans.append((work, use))
            if !use.hasPublisher {
                hindrance =
                    hindrance
                    ?? "`\(work.file.path)` imports Combine and has no publisher of the center"
            } else if let missing = use.missing.first {
                hindrance =
                    hindrance
                    ?? "`\(work.file.path)` uses `\(missing.text)`, which OpenCombine 0.14 does not have"
            }
        }
        for (work, use) in plans where use.hasPublisher {
            for token in use.missing {
                work.report(
                    .left, .combine, at: token, "OpenCombine 0.14 does not have `\(token.text)`")
            }
            if let hindrance {
                work.report(
                    .left, .combine, at: use.imports[0],
                    "Combine stays in this module, because \(hindrance). Linux does not have Combine"
                )
            } else {
                rewrite(use, in: work)
            }
        }
    }

    /// Whether a token names a member of Combine that OpenCombine does not have.
    private static func isMissing(_ token: TokenSyntax) -> Bool {
        if missingTypes.contains(token.text) {
            let outer =
                token.member?.base?.trimmedDescription ?? token.memberType?.baseType.plainName
            return outer == "Publishers" || outer == "Combine.Publishers"
        }
        // Dictionaries and others have a `merge`, too.
        if token.text == "merge" { return token.member?.labels.first == "with" }
        return missing.contains(token.text) && (token.member != nil || token.memberType != nil)
    }

    private func rewrite(_ use: CombineUse, in work: FileWork) {
        var edits = use.imports.compactMap(\.path.first).map {
            Edit(range: $0.name.range, text: "OpenCombine")
        }
        if !use.modules.isEmpty { edits.append(lines(for: use, in: work.file)) }
        guard work.edit(edits) else { return }
        let names = ["OpenCombine"] + use.modules
        work.report(
            .changed, .combine, at: use.imports[0],
            "imports \(names.joined(separator: ", ")) in place of Combine")
    }

    /// The imports of the other modules, behind the last import of Combine that stands beside the
    /// first.
    private func lines(for use: CombineUse, in file: SourceFile) -> Edit {
        let list = use.imports[0].parent?.parent?.id
        let last = use.imports.last { $0.parent?.parent?.id == list } ?? use.imports[0]
        let start = last.range.lowerBound
        let separator = file.newline + file.indentation(at: start)
        // An import of the whole module lends its attributes and modifiers.
        let isScoped = last.importKindSpecifier != nil
        let prefix = isScoped ? "import " : file.text(start..<last.path.range.lowerBound)
        let end = last.range.upperBound
        return Edit(
            range: end..<end, text: use.modules.map { separator + prefix + $0 }.joined())
    }

    /// A file's uses of Combine.
    private struct CombineUse {
        /// The imports of Combine, or of parts of it.
        var imports: [ImportDeclSyntax] = []
        var hasPublisher = false
        var missing: [TokenSyntax] = []
        /// Modules that the file needs and does not import: those with the schedulers that it uses,
        /// and Switchyard's.
        var modules: [String] = []

        static func find(in work: FileWork) -> CombineUse {
            var use = CombineUse()
            let imports = ImportFinder.all(in: work.file.tree)
            use.imports = imports.filter { $0.module == "Combine" && !work.file.leavesOut($0.node) }
                .map(\.node)
            guard !use.imports.isEmpty else { return use }
            var texts: Set<String> = []
            for token in work.file.tree.tokens(viewMode: .sourceAccurate)
            where !work.file.leavesOut(token) {
                texts.insert(token.text)
                if CombineRewriter.isMissing(token) { use.missing.append(token) }
                guard let member = token.member else { continue }
                if token.text == "publisher", let base = member.base {
                    let call = member.parent?.as(FunctionCallExprSyntax.self)
                    if case .center = work.resolver.type(of: base).unwrapped {
                        use.hasPublisher = true
                    } else if call?.arguments.first?.expression.is(KeyPathExprSyntax.self) == true {
                        use.missing.append(token)
                    }
                }
            }
            if !texts.isDisjoint(with: ["DispatchQueue"]) {
                use.modules.append("OpenCombineDispatch")
            }
            if !texts.isDisjoint(with: [
                "RunLoop", "OperationQueue", "Timer", "URLSession", "JSONDecoder", "JSONEncoder",
            ]) {
                use.modules.append("OpenCombineFoundation")
            }
            use.modules.append("SwitchyardOpenCombine")
            let present = Set(imports.map(\.module))
            use.modules.removeAll { present.contains($0) }
            return use
        }
    }
}

extension TokenSyntax {
    /// The expression with the member that the token names.
    fileprivate var member: MemberAccessExprSyntax? {
        guard let member = parent?.parent?.as(MemberAccessExprSyntax.self),
            member.declName.baseName.id == id
        else { return nil }
        return member
    }

    /// The type inside another that the token names.
    fileprivate var memberType: MemberTypeSyntax? {
        guard let type = parent?.as(MemberTypeSyntax.self), type.name.id == id else { return nil }
        return type
    }
}

extension MemberAccessExprSyntax {
    /// The labels of the member's arguments, where it is called or named with them.
    fileprivate var labels: [String] {
        if let names = declName.argumentNames { return names.arguments.map(\.name.text) }
        return parent?.as(FunctionCallExprSyntax.self)?.labels ?? []
    }
}
