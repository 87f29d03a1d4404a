// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwiftSyntax

/// Reports code that a migration leaves: centers and functions that Linux does not have, and tests
/// that wait on Foundation's center.
final class RemarkFinder: SyntaxVisitor {
    private let work: FileWork
    /// Whether the file is for Apple's systems alone, or for both.
    private var isForApple: Bool { work.file.isForApple }

    private init(_ work: FileWork) {
        self.work = work
        super.init(viewMode: .sourceAccurate)
    }

    static func report(in work: FileWork) {
        // The report does not mention files that have nothing to do with centers.
        let names = ["Notification", "NSNotification", "NSWorkspace", "forNotification"]
        let parts = ["NotificationCenter", "NotificationExpectation"]
        let isAbout =
            work.file.mentions(names + parts)
            && work.file.tree.tokens(viewMode: .sourceAccurate).contains {
                let text = $0.text
                return names.contains(text) || parts.contains { text.contains($0) }
            }
        guard isAbout || !work.edits.isEmpty else { return }
        let finder = RemarkFinder(work)
        finder.walk(work.file.tree)
    }

    override func visit(_ node: IfConfigClauseSyntax) -> SyntaxVisitorContinueKind {
        node.isAppleOnly && !isForApple ? .skipChildren : .visitChildren
    }

    override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
        if node.calledExpression.calleeName == "expectation",
            node.arguments.first?.label?.text == "forNotification"
        {
            report(expectation: node)
        }
        return .visitChildren
    }

    override func visit(_ node: DeclReferenceExprSyntax) -> SyntaxVisitorContinueKind {
        let name = node.baseName.text
        if name == "XCTNSNotificationExpectation" { report(expectation: node) }
        if name.hasPrefix("CFNotificationCenter"), !isForApple, !declares(name) {
            work.report(
                .left, .coreFoundation, at: node,
                "`\(name)` is not in Foundation on Linux: use `NotificationCenter`, or `DistributedNotificationCenter` between processes"
            )
        }
        return .visitChildren
    }

    override func visit(_ node: IdentifierTypeSyntax) -> SyntaxVisitorContinueKind {
        if node.name.text == "Selector", !isForApple,
            !work.edits.contains(where: { $0.range.contains(node.range.lowerBound) }),
            !work.module.hasOwnType("Selector", at: node, in: work.file)
        {
            work.report(
                .left, .selectorVariable, at: node,
                "`Selector` does not exist on Linux: take a closure, or a method of a class")
        }
        return .visitChildren
    }

    override func visit(_ node: MemberAccessExprSyntax) -> SyntaxVisitorContinueKind {
        guard let base = node.base, !isForApple else { return .visitChildren }
        let name = node.declName.baseName.text
        // Observers with selectors are reported as such.
        let call = node.ancestors.lazy.compactMap { $0.as(FunctionCallExprSyntax.self) }.first
        if let call, SelectorCall(call) != nil { return .visitChildren }
        if name == "notificationCenter", base.trimmedDescription.hasPrefix("NSWorkspace.") {
            work.report(
                .left, .otherCenter, at: node,
                "`\(node.trimmedDescription)` does not exist on Linux, nor do its posts")
        } else if name.hasSuffix("Notification"),
            let reference = base.as(DeclReferenceExprSyntax.self),
            AppleNames.isApple(reference.baseName.text),
            !work.module.hasOwnType(reference.baseName.text, at: base, in: work.file)
        {
            work.report(
                .left, .nameApple, at: node,
                "`\(node.trimmedDescription)` exists on Apple's systems only, and nobody posts it here"
            )
        }
        return .visitChildren
    }

    private func report(expectation node: some SyntaxProtocol) {
        work.report(
            .left, .expectation, at: node,
            "XCTest waits on Foundation's center: set `NotificationCenter.default.postsToFoundation` while the test runs, or write `try await center.expect(name) { … }` of SwitchyardTesting"
        )
    }

    private func declares(_ name: String) -> Bool {
        work.module.functions[name] != nil || work.module.types[name] != nil
    }
}
