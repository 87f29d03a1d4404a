// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwiftSyntax

/// Turns Combine into OpenCombine in files that use publishers of the center.
struct CombineRewriter {
    /// The files of a module.
    let works: [FileWork]

    /// The names that Combine has and OpenCombine 0.14 has not.
    private static let missing: Set<String> = [
        "combineLatest", "CombineLatest", "CombineLatest3", "CombineLatest4", "merge", "Merge",
        "Merge3",
        "Merge4", "Merge5", "Merge6", "Merge7", "Merge8", "MergeMany", "CollectByTime",
        "TimeGroupingStrategy", "byTime", "byTimeOrCount", "KeyValueObservingPublisher",
    ]

    func rewrite() {
        var plans: [(work: FileWork, use: CombineUse)] = []
        var hindrance: String?
        for work in works {
            let use = CombineUse.find(in: work)
            guard use.combine != nil else { continue }
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
            guard let combine = use.combine else { continue }
            if let hindrance {
                work.report(
                    .left, .combine, at: combine,
                    "Combine stays in this module, because \(hindrance). Linux does not have Combine"
                )
            } else {
                rewrite(combine, use, in: work)
            }
        }
    }

    private func rewrite(_ combine: ImportDeclSyntax, _ use: CombineUse, in work: FileWork) {
        guard let name = combine.path.first?.name else { return }
        var modules = use.schedulers
        modules.append("SwitchyardOpenCombine")
        let start = combine.range.lowerBound
        let before = work.file.text(start..<name.range.lowerBound)
        let separator = work.file.newline + work.file.indentation(at: start)
        let scoped = combine.importKindSpecifier != nil
        let prefix = scoped ? "import " : before
        let lines = modules.map { separator + prefix + $0 }.joined()
        let end = combine.range.upperBound
        guard
            work.edit([
                Edit(range: name.range, text: "OpenCombine"), Edit(range: end..<end, text: lines),
            ])
        else { return }
        work.report(
            .changed, .combine, at: combine,
            "imports OpenCombine, \(modules.joined(separator: ", ")) in place of Combine")
    }

    /// A file's uses of Combine.
    private struct CombineUse {
        var combine: ImportDeclSyntax?
        var hasPublisher = false
        var missing: [TokenSyntax] = []
        /// Modules with the schedulers that the file uses.
        var schedulers: [String] = []

        static func find(in work: FileWork) -> CombineUse {
            var use = CombineUse()
            let imports = ImportFinder.all(in: work.file.tree)
            use.combine =
                imports.first { $0.module == "Combine" && !work.file.leavesOut($0.node) }?.node
            guard use.combine != nil else { return use }
            var texts: Set<String> = []
            for token in work.file.tree.tokens(viewMode: .sourceAccurate)
            where !work.file.leavesOut(token) {
                texts.insert(token.text)
                guard let member = token.parent?.parent?.as(MemberAccessExprSyntax.self),
                    member.declName.baseName.id == token.id
                        || CombineRewriter.missing.contains(token.text)
                else { continue }
                if CombineRewriter.missing.contains(token.text) { use.missing.append(token) }
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
                use.schedulers.append("OpenCombineDispatch")
            }
            if !texts.isDisjoint(with: [
                "RunLoop", "OperationQueue", "Timer", "URLSession", "JSONDecoder", "JSONEncoder",
            ]) {
                use.schedulers.append("OpenCombineFoundation")
            }
            let present = Set(imports.map(\.module))
            use.schedulers.removeAll { present.contains($0) }
            return use
        }
    }
}
