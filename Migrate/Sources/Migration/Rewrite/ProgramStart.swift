// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import SwiftSyntax

/// The place at which a program starts, and the edits that set the center's `postsToFoundation`
/// there.
struct ProgramStart {
    let work: FileWork
    /// The code around the new statement.
    let anchor: Syntax
    private(set) var edits: [Edit]

    private static let comment =
        "// What listens on Foundation's center hears the posts of Switchyard's, too."
    private static let statement =
        "NotificationCenter.default.\(FoundationPosts.property) = true"
    private static let marks: Set<String> = ["main", "UIApplicationMain", "NSApplicationMain"]
    private static let delegates: Set<String> = ["UIApplicationDelegate", "NSApplicationDelegate"]

    /// The starts of all programs among the files of a module: types with `@main`, `main.swift` of
    /// an application, and where there is neither, the delegate of the application.
    static func all(in works: [FileWork]) -> [ProgramStart] {
        guard let module = works.first?.module else { return [] }
        let types = module.types.values.joined()
            .filter { $0.kind == .class || $0.kind == .value }
            .sorted { ($0.file.path, $0.node.position) < ($1.file.path, $1.node.position) }
        let marked = types.filter { type in
            type.node.asProtocol((any WithAttributesSyntax).self)?.attributes.names
                .contains { marks.contains($0) } == true
        }
        var starts = marked.compactMap { start(of: $0, in: works) }
        starts += works.compactMap(mainFile)
        guard starts.isEmpty else { return starts }
        return types.filter { !delegates.isDisjoint(with: $0.inheritance) }
            .compactMap { launch(of: $0, in: works) }
    }

    private static func work(of file: SourceFile, in works: [FileWork]) -> FileWork? {
        works.first { $0.file === file && !$0.module.hasOwnCenter(in: $0.file) }
    }

    private static func start(of type: TypeInfo, in works: [FileWork]) -> ProgramStart? {
        guard let declaration = type.node.asProtocol((any DeclGroupSyntax).self),
            let work = work(of: type.file, in: works)
        else { return nil }
        if type.inheritance.contains(where: { $0 == "App" || $0 == "SwiftUI.App" }) {
            return initialiser(of: declaration, in: work)
        }
        if let main = type.methods.first(where: { $0.isStatic && $0.name == "main" }) {
            return self.init(main, in: works)
        }
        return launch(of: type, in: works)
    }

    /// The method in which an application tells its delegate that it was launched.
    private static func launch(of type: TypeInfo, in works: [FileWork]) -> ProgramStart? {
        let methods = type.methods.filter { method in
            let label = method.labels.dropFirst().first ?? ""
            return ["applicationWillFinishLaunching", "applicationDidFinishLaunching"]
                .contains(method.name)
                || ["willFinishLaunchingWithOptions", "didFinishLaunchingWithOptions"]
                    .contains(label) && method.name == "application"
        }
        let first =
            methods.first { ($0.name + $0.labels.joined()).contains("illFinish") } ?? methods.first
        return first.flatMap { self.init($0, in: works) }
    }

    private init?(_ method: MethodInfo, in works: [FileWork]) {
        guard let body = method.node.body, !method.isLeftOut,
            let work = Self.work(of: method.file, in: works)
        else { return nil }
        self.init(body, returns: method.hasResult, in: work)
    }

    /// The beginning of a body.
    private init(_ body: CodeBlockSyntax, returns: Bool = false, in work: FileWork) {
        let file = work.file
        let outer = file.indentation(at: body.leftBrace.range.lowerBound)
        let inner = Self.inner(outer, body.statements, in: file)
        let at = body.leftBrace.range.upperBound
        var text = [Self.comment, Self.statement].map { file.newline + inner + $0 }.joined()
        self.work = work
        anchor = Syntax(body)
        // A single expression is returned without the word, and two statements are none.
        let lacksReturn =
            returns && body.statements.count == 1
            && body.statements.first?.item.is(ExprSyntax.self) == true
        let word = lacksReturn ? "return " : ""
        let first = body.statements.first?.range.lowerBound ?? body.rightBrace.range.lowerBound
        if file.lineIndex(of: at) == file.lineIndex(of: first) {
            let end = body.rightBrace.range.lowerBound
            let rest = file.text(at..<end).trimmingCharacters(in: .whitespacesAndNewlines)
            if !rest.isEmpty { text += file.newline + inner + word + rest }
            edits = [Edit(range: at..<end, text: text + file.newline + outer)]
        } else {
            // A comment may follow the brace on its line.
            let lineEnd =
                body.leftBrace.range.upperBound
                + body.leftBrace.trailingTrivia.sourceLength.utf8Length
            edits = [Edit(range: lineEnd..<lineEnd, text: text)]
            if lacksReturn { edits.append(Edit(range: first..<first, text: word)) }
        }
    }

    private init(work: FileWork, anchor: Syntax, edit: Edit) {
        self.work = work
        self.anchor = anchor
        edits = [edit]
    }

    // MARK: - Initialisers and main.swift

    /// The initialiser of an `App`, or a new one before its `body`.
    private static func initialiser(
        of declaration: any DeclGroupSyntax, in work: FileWork
    ) -> ProgramStart? {
        let members = declaration.memberBlock.members
        let initialisers = members.compactMap { $0.decl.as(InitializerDeclSyntax.self) }
        if !initialisers.isEmpty {
            let body = initialisers.first { $0.signature.parameterClause.parameters.isEmpty }?.body
            return body.map { self.init($0, in: work) }
        }
        let isBody = { (item: MemberBlockItemSyntax) in
            item.decl.as(VariableDeclSyntax.self)?.bindings.first?.pattern.trimmedDescription
                == "body"
        }
        guard let index = members.firstIndex(where: isBody) else { return nil }
        let file = work.file
        let outer = file.indentation(at: members[index].range.lowerBound)
        let inner = outer + (outer.contains("\t") ? "\t" : "    ")
        let isPublic = declaration.modifiers.contains { $0.name.text == "public" }
        let lines = [
            outer + (isPublic ? "public " : "") + "init() {", inner + comment, inner + statement,
            outer + "}",
        ]
        let text = lines.map { file.newline + $0 }.joined()
        let previous = members[..<index].last
        let at =
            previous?.endPosition.utf8Offset
            ?? declaration.memberBlock.leftBrace.range.upperBound
        let edit = Edit(
            range: at..<at, text: previous == nil ? text + file.newline : file.newline + text)
        return ProgramStart(work: work, anchor: Syntax(members[index]), edit: edit)
    }

    /// The first statement of a `main.swift` that starts an application.
    private static func mainFile(_ work: FileWork) -> ProgramStart? {
        let file = work.file
        guard file.path == "main.swift" || file.path.hasSuffix("/main.swift"),
            file.mentions(["ApplicationMain", "NSApplication"]),
            !work.module.hasOwnCenter(in: file),
            let first = file.tree.statements.first(where: {
                $0.item.as(DeclSyntax.self)?.is(ImportDeclSyntax.self) != true
                    && !$0.item.is(ImportDeclSyntax.self)
            }), file.isFirstOnLine(first.range.lowerBound)
        else { return nil }
        let at = first.range.lowerBound
        let text = comment + file.newline + statement + file.newline
        return ProgramStart(
            work: work, anchor: Syntax(first), edit: Edit(range: at..<at, text: text))
    }

    /// The indentation of statements in a body whose line begins with another.
    private static func inner(
        _ outer: String, _ statements: CodeBlockItemListSyntax, in file: SourceFile
    ) -> String {
        if let start = statements.first?.range.lowerBound, file.isFirstOnLine(start) {
            return file.indentation(at: start)
        }
        return outer + (outer.contains("\t") ? "\t" : "    ")
    }
}

extension ModuleIndex {
    /// Whether `NotificationCenter` means a type of the module's own in a file.
    func hasOwnCenter(in file: SourceFile) -> Bool {
        hasOwnType("NotificationCenter", at: file.tree, in: file)
    }
}
