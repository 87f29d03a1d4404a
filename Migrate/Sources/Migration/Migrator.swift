// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwiftSyntax

/// Moves sources from Foundation's notification center to Switchyard's.
///
/// Sources come in, changed sources and findings come out; nothing is read or written. Code that is
/// not understood stays as it is.
public enum Migrator {
    /// Migrates the modules of a package. The order of the results is that of the sources.
    ///
    /// - Parameters:
    ///   - modules: the sources.
    ///   - options: the options of the migration.
    ///   - others: sources in Objective-C and files of the interface builder. They are not changed;
    ///     a method that they may call keeps `@objc`.
    /// - Complexity: O(n) in the size of the sources, but for names that many declarations share.
    public static func migrate(
        _ modules: [ModuleSources], _ options: MigrationOptions = .init(),
        beside others: [SourceText] = []
    ) -> Migration {
        PackageMigration(modules, options, OtherSources(others)).run()
    }
}

/// The migration of one package, step by step.
private final class PackageMigration {
    private let sources: [ModuleSources]
    private let options: MigrationOptions
    private let others: OtherSources
    private var works: [[FileWork]] = []
    private var unreadable: [Finding] = []
    private let package: PackageIndex

    init(
        _ sources: [ModuleSources], _ options: MigrationOptions, _ others: OtherSources
    ) {
        self.others = others
        self.sources = sources
        self.options = options
        var unreadable: [Finding] = []
        var modules: [ModuleIndex] = []
        var works: [[FileWork]] = []
        for module in sources {
            let files = module.files.compactMap { source -> SourceFile? in
                let file = SourceFile(
                    path: source.path, contents: source.contents, isForApple: options.apple)
                if let file {
                    return file
                }
                unreadable.append(
                    Finding(
                        file: source.path, line: 1, column: 1, kind: .left, code: .encoding,
                        message: "the file is not in UTF-8"))
                return nil
            }
            let index = ModuleIndex(files: files, isolatesToMain: module.isolatesToMain)
            modules.append(index)
            works.append(
                files.map {
                    FileWork(file: $0, module: index, languageMode: module.languageMode)
                })
        }
        package = PackageIndex(modules: modules)
        self.works = works
        self.unreadable = unreadable
    }

    func run() -> Migration {
        let all = works.flatMap { $0 }
        for work in all { UseFinder.find(in: work, of: package, isForDarwin: options.darwin) }
        let left = filesToLeave(all)
        let selectors = SelectorUses(all)
        rewriteOutsideMembers(all, left)
        for work in all where !left.contains(ObjectIdentifier(work)) { CenterBlock.rewrite(work) }
        for (module, works) in zip(sources, works) {
            let switched = works.filter { !left.contains(ObjectIdentifier($0)) }
            let scope = FlowScope(package: package, works: works, left: left)
            scope.answered = CenterWitnesses.add(in: works, except: left)
            for isForHelpers in [true, false] {
                for work in switched {
                    ObserverRewriter(
                        work: work, scope: scope, options: options, mode: module.languageMode,
                        selectors: selectors, isForHelpers: isForHelpers
                    ).walk(work.file.tree)
                }
            }
            // Combine stays on Apple's systems, and files with its publishers were left.
            if !options.apple { CombineRewriter(works: switched).rewrite() }
            let saysAccess = module.files.isEmpty ? false : Self.saysAccess(works)
            for work in switched where !work.uses.switched.isEmpty || !work.uses.distributed.isEmpty
            {
                ImportRewriter(work: work, isForDarwin: options.darwin, saysAccess: saysAccess)
                    .rewrite()
            }
        }
        ObjcRewriter(
            package: package, works: all.filter { !left.contains(ObjectIdentifier($0)) },
            selectors: selectors, others: others, isForDarwin: options.darwin
        ).rewrite()
        for work in all where !left.contains(ObjectIdentifier(work)) {
            RemarkFinder.report(in: work)
        }
        for work in all {
            LeftCalls.report(in: work, isLeft: left.contains(ObjectIdentifier(work)))
        }
        reportSelectors(selectors, left)
        return result(all)
    }

    /// Leaves with Foundation's center what other modules add to it or get, and lets it hear what
    /// moves.
    private func rewriteOutsideMembers(_ all: [FileWork], _ left: Set<ObjectIdentifier>) {
        let moves = all.contains {
            !left.contains(ObjectIdentifier($0)) && !$0.uses.switched.isEmpty
        }
        let posted = PostedNames.all(in: all)
        // Files that stay, but for those with publishers alone, say why they do.
        let works = works.map { works in
            works.filter { !left.contains(ObjectIdentifier($0)) || $0.reasonToStay == nil }
        }
        func posts(
            _ works: [FileWork], for listening: [FileWork], in program: FoundationPosts?
        )
            -> FoundationPosts
        {
            FoundationPosts(works, of: package, posted: posted, moves: moves, in: program)
                .settingProperty(
                    in: works.filter { !left.contains(ObjectIdentifier($0)) }, for: listening)
        }
        let program = sources.firstIndex(where: \.isWholeProgram).map {
            posts(works[$0], for: works.flatMap { $0 }, in: nil)
        }
        for works in works {
            let posts = posts(works, for: works, in: program)
            for work in works { OutsideMemberRewriter.rewrite(work, posts) }
        }
    }

    // MARK: - Files that stay

    /// Finds the files that are left as they are, and reports the reasons.
    private func filesToLeave(_ works: [FileWork]) -> Set<ObjectIdentifier> {
        var left: Set<ObjectIdentifier> = []
        var coupling: FileWork?
        for work in works where !work.uses.switched.isEmpty || !work.uses.distributed.isEmpty {
            if let reason = reasonToLeave(work) {
                left.insert(ObjectIdentifier(work))
                if !work.onlyListens {
                    work.report(.left, reason.code, at: reason.node, reason.message)
                    work.reasonToStay = Obstacle(reason.code, reason.message)
                }
                work.couples = reason.couples
                if reason.couples { coupling = coupling ?? work }
            }
        }
        for work in works where work.file.hasSyntaxError { left.insert(ObjectIdentifier(work)) }
        if let coupling { left.formUnion(Coupling(works, left).files(of: coupling)) }
        return left
    }

    private struct Reason {
        var code: Finding.Code
        var node: Syntax
        var message: String
        /// Whether the file goes on using Foundation's center on Linux.
        var couples: Bool
    }

    private func reasonToLeave(_ work: FileWork) -> Reason? {
        let tree = work.file.tree
        let first = work.uses.switched.first ?? Syntax(tree)
        if work.file.hasSyntaxError {
            return Reason(
                code: .syntaxError, node: first, message: "the file has a syntax error",
                couples: true)
        }
        if !options.apple, let apple = ImportFinder.appleImport(in: work.file) {
            return Reason(
                code: .appleFile, node: Syntax(apple.node),
                message: "the file needs \(apple.module), which Linux does not have", couples: false
            )
        }
        if let (node, obstacle) = work.uses.obstacles.first {
            return Reason(code: obstacle.code, node: node, message: obstacle.message, couples: true)
        }
        return nil
    }

    /// Whether imports of a module have access modifiers.
    private static func saysAccess(_ works: [FileWork]) -> Bool {
        works.contains { work in
            ImportFinder.all(in: work.file.tree).contains { $0.node.modifiers.isEmpty == false }
        }
    }

    // MARK: - Results

    private func reportSelectors(_ selectors: SelectorUses, _ left: Set<ObjectIdentifier>) {
        // Apple's systems, for which all sources are with this option, have selectors.
        guard !options.apple else { return }
        for (node, work) in selectors.unconverted
        where !left.contains(ObjectIdentifier(work)) && !work.file.leavesOut(node)
            && ImportFinder.appleImport(in: work.file) == nil
            && (!work.edits.isEmpty || !work.uses.switched.isEmpty
                || work.module.types["Selector"] != nil)
        {
            // Selectors of observers that stayed are reported with their calls.
            let call = node.ancestors.lazy.compactMap { $0.as(FunctionCallExprSyntax.self) }.first
            if let call, SelectorCall(call) != nil { continue }
            work.report(
                .left, .unrelatedSelector, at: node, "`#selector` does not compile on Linux")
        }
    }

    private func result(_ works: [FileWork]) -> Migration {
        var migration = Migration(files: [], findings: unreadable)
        for work in works {
            migration.findings += work.findings
            let edits = work.edits
            guard !edits.isEmpty else { continue }
            let diff = UnifiedDiff(file: work.file, edits: edits)
            migration.files.append(
                MigratedFile(
                    path: work.file.path, contents: work.file.applying(edits), diff: diff.text(),
                    addedLines: diff.count().added, removedLines: diff.count().removed))
        }
        migration.findings.sort()
        return migration
    }
}
