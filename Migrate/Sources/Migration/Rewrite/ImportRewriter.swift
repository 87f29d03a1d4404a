// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwiftSyntax

/// Adds the imports with which a file uses Switchyard's center.
struct ImportRewriter {
    let work: FileWork
    let isForDarwin: Bool
    /// Whether imports of this module have access modifiers.
    let saysAccess: Bool

    private var file: SourceFile { work.file }

    func rewrite() {
        var modules: [String] = []
        var classes: [String] = []
        let imports = ImportFinder.all(in: file.tree)
        if !work.uses.switched.isEmpty {
            if !imports.contains(where: { $0.module == "Switchyard" && $0.scoped == nil }) {
                modules.append("Switchyard")
            }
            for name in ["NotificationCenter", "NotificationQueue"]
            where !work.module.isSwitchedByAlias(name)
                && !imports.contains(where: { $0.module == "Switchyard" && $0.scoped == name })
            {
                classes.append(name)
            }
            // `import Switchyard` alone needs no other import beside it.
            if modules.isEmpty, imports.allSatisfy({ $0.module == "Switchyard" }) { classes = [] }
            // A line for the queue is added beside that for the center, not on its own.
            if classes == ["NotificationQueue"],
                !work.uses.names.contains(where: { $0.text == classes[0] })
            {
                classes = []
            }
        }
        if !work.uses.distributed.isEmpty,
            !imports.contains(where: { $0.module == "SwitchyardDistributed" })
        {
            modules.append("SwitchyardDistributed")
        }
        if !work.uses.qualified.isEmpty, !imports.contains(where: { $0.module == "Foundation" }) {
            modules.insert("Foundation", at: 0)
        }
        guard !modules.isEmpty || !classes.isEmpty else { return }
        classes = replaceFoundationImports(of: classes, among: imports)
        insert(modules, classes, imports)
    }

    /// Turns `import class Foundation.NotificationCenter` into Switchyard's. Returns the classes
    /// that are left.
    private func replaceFoundationImports(
        of classes: [String], among imports: [ImportFinder.Import]
    ) -> [String] {
        classes.filter { name in
            guard
                let found = imports.first(where: { $0.module == "Foundation" && $0.scoped == name }
                ),
                let module = found.node.path.first
            else { return true }
            var edit = Edit(range: module.name.range, text: "Switchyard")
            if isForDarwin {
                let line = file.newline + file.indentation(at: found.node.range.lowerBound)
                let old = file.text(found.node.range)
                let lines = [
                    "#if canImport(Darwin)", old, "#else", "import class Switchyard.\(name)",
                    "#endif",
                ]
                edit = Edit(range: found.node.range, text: lines.joined(separator: line))
            }
            guard work.edit([edit]) else { return true }
            work.report(.changed, .imports, at: found.node, "the class is Switchyard's now")
            return false
        }
    }

    // MARK: - Places

    private func insert(_ modules: [String], _ classes: [String], _ imports: [ImportFinder.Import])
    {
        var anchors = work.uses.switched
        anchors += work.uses.distributed.map { Syntax($0) }
        let container = container(of: anchors)
        let here = imports.filter { $0.node.parent?.parent?.id == Syntax(container).id }
        let access = access(imports)
        var lines = modules.map { access + "import " + $0 }
        lines += classes.map { access + "import class Switchyard." + $0 }
        if isForDarwin { lines = ["#if !canImport(Darwin)"] + lines + ["#endif"] }
        let names = (modules + classes.map { "Switchyard." + $0 }).joined(separator: ", ")

        let isDone: Bool
        if let sorted = sortedPlaces(modules, classes, among: here), !isForDarwin {
            isDone = work.insertLines(
                sorted.map { item, names in
                    insertion(of: names.map { access + "import " + $0 }, after: item)
                })
        } else if let foundation = here.last(where: {
            $0.module == "Foundation" && $0.scoped == nil
        })
            ?? here.last
        {
            isDone = work.insertLines([insertion(of: lines, after: foundation.node)])
        } else if let condition = importingCondition(in: container) {
            isDone = work.insertLines([insertion(of: lines, after: condition)])
        } else {
            isDone = insertAtTop(lines, of: container)
        }
        let place = here.first.map { Syntax($0.node) } ?? Syntax(file.tree)
        if isDone {
            work.report(.changed, .imports, at: place, "imports \(names)")
        } else {
            work.report(
                .left, .imports, at: place,
                "imports of \(names) are missing: another change stands at their place")
        }
    }

    /// The innermost list of statements, of the file or of a branch of `#if`, that holds all uses.
    private func container(of uses: [Syntax]) -> CodeBlockItemListSyntax {
        var container = file.tree.statements
        while true {
            let inner = container.lazy.compactMap { $0.item.as(IfConfigDeclSyntax.self) }
                .flatMap(\.clauses)
                .compactMap { $0.elements?.as(CodeBlockItemListSyntax.self) }
                .first { list in uses.allSatisfy { list.range.contains($0.range.lowerBound) } }
            guard let inner else { return container }
            container = inner
        }
    }

    /// The places of modules and classes in imports that are sorted by name; nil if they are not
    /// sorted.
    private func sortedPlaces(
        _ modules: [String], _ classes: [String], among imports: [ImportFinder.Import]
    ) -> [(ImportDeclSyntax, [String])]? {
        let plain = imports.filter { $0.scoped == nil && $0.isPlain }
        guard plain.count > 1, plain.map(\.module) == plain.map(\.module).sorted(),
            let first = plain.first, let last = plain.last,
            // The imports are one block, with nothing but line ends between them.
            file.lineIndex(of: last.node.range.lowerBound)
                - file.lineIndex(of: first.node.range.lowerBound) == plain.count - 1
        else { return nil }
        var places: [(ImportDeclSyntax, [String])] = []
        func add(_ name: String, after node: ImportDeclSyntax) {
            if let index = places.firstIndex(where: { $0.0.id == node.id }) {
                places[index].1.append(name)
            } else {
                places.append((node, [name]))
            }
        }
        for module in modules {
            guard let before = plain.last(where: { $0.module < module }) else { return nil }
            add(module, after: before.node)
        }
        for name in classes { add("class Switchyard." + name, after: last.node) }
        return places
    }

    /// The last `#if` with nothing but imports in it.
    private func importingCondition(in container: CodeBlockItemListSyntax) -> CodeBlockItemSyntax? {
        container.last { item in
            guard let condition = item.item.as(IfConfigDeclSyntax.self) else { return false }
            return condition.clauses.allSatisfy { clause in
                clause.elements?.as(CodeBlockItemListSyntax.self)?
                    .allSatisfy { $0.item.is(ImportDeclSyntax.self) } ?? (clause.elements == nil)
            }
        }
    }

    /// The access modifier of the imports, with a space behind it.
    private func access(_ imports: [ImportFinder.Import]) -> String {
        guard saysAccess else { return "" }
        return work.uses.isInInterface ? "public " : "internal "
    }

    // MARK: - Edits

    private func insertion(of lines: [String], after node: some SyntaxProtocol) -> Edit {
        let indentation = file.indentation(at: node.range.lowerBound)
        let text = lines.map { file.newline + indentation + $0 }.joined()
        var end = node.endPosition.utf8Offset
        if let item = node.parent?.as(CodeBlockItemSyntax.self) {
            end = item.endPosition.utf8Offset
        }
        let isAtLineEnd =
            end >= file.bytes.count || file.bytes[end] == UInt8(ascii: "\n")
            || file.bytes[end] == UInt8(ascii: "\r")
        return Edit(range: end..<end, text: isAtLineEnd ? text : text + file.newline)
    }

    private func insertAtTop(_ lines: [String], of container: CodeBlockItemListSyntax) -> Bool {
        guard let first = container.first ?? nil else { return false }
        let start = first.positionAfterSkippingLeadingTrivia.utf8Offset
        // The imports go behind a header, which a blank line ends, and before the comment of the
        // first declaration.
        var at = first.position.utf8Offset
        var offset = at
        var newlines = 0
        var isLineStart = at == 0
        for piece in first.leadingTrivia {
            offset += piece.sourceLength.utf8Length
            switch piece {
            case .newlines(let count), .carriageReturnLineFeeds(let count),
                .carriageReturns(let count):
                newlines += count
                isLineStart = true
                if newlines > 1 || at == 0 && offset == newlines { at = offset }
            case .spaces, .tabs: break
            default: newlines = 0
            }
        }
        if at == first.position.utf8Offset, at > 0, isLineStart {
            // The place is in a branch of `#if`, whose first line end belongs to the statement.
            at = file.lineStarts[file.lineIndex(of: start)]
        } else if at == 0, file.tree.shebang != nil {
            at = file.lineStarts.count > 1 ? file.lineStarts[1] : start
        }
        let text = lines.map { file.indentation(at: start) + $0 + file.newline }.joined()
        return work.insertLines([Edit(range: at..<at, text: text + file.newline)])
    }
}

/// Finds the imports of a file.
final class ImportFinder: SyntaxVisitor {
    struct Import {
        var node: ImportDeclSyntax
        var module: String
        /// The part of the module that is imported, if not all of it.
        var scoped: String?
        /// Whether the import has neither attributes nor modifiers.
        var isPlain: Bool
    }

    /// Frameworks without which a file does not compile, and which Linux does not have.
    private static let appleModules: Set<String> = [
        "UIKit", "AppKit", "Cocoa", "SwiftUI", "WatchKit", "CoreData", "ObjectiveC", "Darwin",
    ]
    private var found: [Import] = []

    /// The first import of such a framework that Linux would compile.
    static func appleImport(in file: SourceFile) -> Import? {
        all(in: file.tree).first { appleModules.contains($0.module) && !file.leavesOut($0.node) }
    }

    static func all(in tree: SourceFileSyntax) -> [Import] {
        let finder = ImportFinder(viewMode: .sourceAccurate)
        finder.walk(tree)
        return finder.found
    }

    override func visit(_ node: ImportDeclSyntax) -> SyntaxVisitorContinueKind {
        let path = node.path.map(\.name.text)
        found.append(
            Import(
                node: node, module: path.first ?? "",
                scoped: node.importKindSpecifier == nil ? nil : path.last,
                isPlain: node.attributes.isEmpty))
        return .skipChildren
    }

    override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: StructDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: ExtensionDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
}
