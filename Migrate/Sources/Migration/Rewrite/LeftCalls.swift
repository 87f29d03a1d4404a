// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwiftSyntax

/// Reports observers with selectors in files and branches that stay as they are, so that none stays
/// without a line in the report.
final class LeftCalls: SyntaxVisitor {
    private let work: FileWork
    private let isLeft: Bool

    private init(_ work: FileWork, isLeft: Bool) {
        self.work = work
        self.isLeft = isLeft
        super.init(viewMode: .sourceAccurate)
    }

    static func report(in work: FileWork, isLeft: Bool) {
        guard work.file.mentions(["addObserver"]) else { return }
        LeftCalls(work, isLeft: isLeft).walk(work.file.tree)
    }

    override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
        guard let call = SelectorCall(node) else { return .visitChildren }
        if work.file.leavesOut(node) {
            work.report(
                .note, .appleBranch, at: call.callee,
                "Linux does not compile this branch; the selector stays as it is")
        } else if isLeft, work.file.isForApple,
            let other = call.base.flatMap({ OtherCenter.obstacle($0, work) })
        {
            work.report(.note, other.code, at: call.callee, other.message)
        } else if isLeft {
            let reason =
                work.reasonToStay ?? Obstacle(.syntaxError, "the file has a syntax error")
            work.report(
                .left, reason.code, at: call.callee, "the selector stays: \(reason.message)")
        }
        return .visitChildren
    }
}
