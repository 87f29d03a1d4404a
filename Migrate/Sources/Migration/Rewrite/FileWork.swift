// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwiftSyntax

/// A file, with its edits and findings.
final class FileWork {
    let file: SourceFile
    let module: ModuleIndex
    let languageMode: LanguageMode
    private(set) var edits: [Edit] = []
    private(set) var findings: [Finding] = []
    /// The center and the queue as this file uses them.
    var uses = CenterUses()
    /// The reason for which the whole file stays as it is.
    var reasonToStay: Obstacle?
    /// Whether a file that stays goes on using Foundation's center where the others have
    /// Switchyard's.
    var couples = false

    init(file: SourceFile, module: ModuleIndex, languageMode: LanguageMode) {
        self.file = file
        self.module = module
        self.languageMode = languageMode
    }

    /// Whether the file does nothing with centers but call publishers of Combine on one that is
    /// given to it.
    var onlyListens: Bool {
        !uses.kept.isEmpty && uses.kept.count == uses.obstacles.count && uses.calls.isEmpty
            && uses.distributed.isEmpty
    }

    /// What stays with Foundation's center.
    var listeners: [OutsideMember] { onlyListens ? uses.kept : uses.qualified }

    var resolver: Resolver { Resolver(index: module, file: file) }

    /// Adds edits that belong together. Returns false, and adds none, if one conflicts with an
    /// earlier one.
    @discardableResult
    func edit(_ added: [Edit]) -> Bool {
        guard added.allSatisfy({ new in !edits.contains { $0.conflicts(with: new) } }) else {
            return false
        }
        edits += added
        return true
    }

    /// Inserts lines. Where lines were inserted behind another at a place before, the new ones follow
    /// them; they stand before any other edit that begins there. Returns false, and adds none, if a
    /// place is inside another edit.
    func insertLines(_ added: [Edit]) -> Bool {
        func isInside(_ place: Int, _ old: Edit) -> Bool {
            old.range.lowerBound < place && place < old.range.upperBound
        }
        guard
            added.allSatisfy({ new in !edits.contains { isInside(new.range.lowerBound, $0) } })
        else { return false }
        for new in added {
            let place = new.range.lowerBound
            guard let index = edits.firstIndex(where: { $0.range.lowerBound == place }) else {
                edits.append(new)
                continue
            }
            let old = edits[index]
            let isLine = old.range.isEmpty && old.text.first?.isNewline == true
            edits[index].text = isLine ? old.text + new.text : new.text + old.text
        }
        return true
    }

    /// Adds edits in several files that belong together, or none. The same edit may be there twice.
    static func edit(_ added: [(work: FileWork, edit: Edit)]) -> Bool {
        guard
            added.allSatisfy({ new in
                !new.work.edits.contains { $0.conflicts(with: new.edit) }
            })
        else { return false }
        for (work, edit) in added where !work.edits.contains(edit) { work.edits.append(edit) }
        return true
    }

    /// Notes a finding at a node.
    func report(
        _ kind: Finding.Kind, _ code: Finding.Code, at node: some SyntaxProtocol, _ message: String
    ) {
        report(kind, code, at: node.positionAfterSkippingLeadingTrivia.utf8Offset, message)
    }

    /// Notes a finding at an offset.
    func report(_ kind: Finding.Kind, _ code: Finding.Code, at offset: Int, _ message: String) {
        let (line, column) = file.position(min(offset, file.bytes.count))
        let finding = Finding(
            file: file.path, line: line, column: column, kind: kind, code: code, message: message)
        if !findings.contains(finding) { findings.append(finding) }
    }
}

/// A file's uses of the center.
struct CenterUses {
    /// Names of the center's or queue's class that become Switchyard's.
    var names: [TokenSyntax] = []
    /// Calls of a center's methods through variables.
    var calls: [Syntax] = []
    /// Names of `DistributedNotificationCenter`.
    var distributed: [TokenSyntax] = []
    /// The reasons for which the file has to be left, with their places.
    var obstacles: [(node: Syntax, obstacle: Obstacle)] = []
    /// Centers that become Foundation's, because members that other modules add to it are called.
    var qualified: [OutsideMember] = []
    /// Such calls on a center that can't become Foundation's, so that the file stays.
    var kept: [OutsideMember] = []
    /// Extensions of the center that give it a method for which a protocol asks.
    var witnesses: [CenterWitness] = []
    /// Closures that get a center as their argument.
    var blocks: [CenterBlock] = []
    /// Whether a declaration that other files see mentions a center.
    var crossesFiles = false
    /// The names of those declarations.
    var crossingNames: Set<String> = []
    /// Whether the center conforms to a protocol here, so that any file may pass it under another
    /// name.
    var crossesByConformance = false
    /// Whether the file hands the center on, or gets one: it does more than call the default
    /// center.
    var passesCenters = false
    /// Whether a public declaration mentions a center.
    var isInInterface = false

    /// The uses for which Switchyard has to be imported.
    var switched: [Syntax] { names.map { Syntax($0) } + calls }
}
