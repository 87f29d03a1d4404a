// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwiftSyntax

/// Uses of the center that stay Foundation's, because other modules have to do with them.
extension UseFinder {
    /// Gives Foundation's default center to another module, where an expression is the default
    /// center.
    ///
    /// Switchyard's default center hears what the other module posts there. Returns false if the
    /// expression may be another center.
    func giveFoundation(_ center: ExprSyntax, to name: String) -> Bool {
        guard work.file.isForApple, let edit = DefaultCenter(in: work).toFoundation(center) else {
            return false
        }
        given.insert(center.id)
        uses.qualified.append(
            .init(
                node: Syntax(center), edit: edit.edit, code: .centerOutside,
                reason: "`\(name)` of another module gets Foundation's center",
                isConstant: edit.isConstant))
        return true
    }

    /// Leaves a member that another module adds, as Combine adds `publisher`, with Foundation's
    /// center. The source has to name that center, or a constant that is nothing else.
    func noteOutside(
        _ node: MemberAccessExprSyntax, of base: ExprSyntax, _ code: Finding.Code,
        else obstacle: String, _ reason: String
    ) -> SyntaxVisitorContinueKind {
        guard let edit = DefaultCenter(in: work).toFoundation(base) else {
            stop(at: node, code, obstacle)
            uses.kept.append(
                .init(
                    node: Syntax(node), code: code, reason: reason,
                    name: OutsideMember.name(in: node), isConstant: false))
            return .visitChildren
        }
        uses.qualified.append(
            .init(
                node: Syntax(base), edit: edit.edit, code: code, reason: reason,
                name: OutsideMember.name(in: node), isConstant: edit.isConstant))
        return .skipChildren
    }

    /// Notes a member that another module adds, and a center that another module gets, where the
    /// source names Foundation's center already.
    func noteFoundation(_ node: MemberAccessExprSyntax) -> Bool {
        guard work.file.isForApple, !work.file.leavesOut(node) else { return false }
        let name = node.declName.baseName.text
        if Self.isFoundationDefault(ExprSyntax(node)),
            node.parent?.is(LabeledExprSyntax.self) == true
                || node.parent?.is(ExprListSyntax.self) == true
        {
            uses.qualified.append(
                .init(
                    node: Syntax(node), code: .centerOutside,
                    reason: "another module gets Foundation's center", isConstant: false))
            return true
        }
        guard let base = node.base, Self.isFoundationDefault(base),
            name == "publisher"
                || !Self.knownMembers.contains(name) && !package.extendsCenter(with: name)
        else { return false }
        uses.qualified.append(
            .init(
                node: Syntax(base), code: name == "publisher" ? .combine : .centerMember,
                reason: Self.reason(for: name), name: OutsideMember.name(in: node),
                isConstant: false))
        return true
    }

    private static func isFoundationDefault(_ expression: ExprSyntax) -> Bool {
        expression.tokens(viewMode: .sourceAccurate).map(\.text)
            == ["Foundation", ".", "NotificationCenter", ".", "default"]
    }

    /// Whether a member is the method that takes a `Selector`, as a value.
    func givesSelectorMethod(_ node: MemberAccessExprSyntax) -> Bool {
        guard node.declName.baseName.text == "addObserver",
            node.parent?.as(FunctionCallExprSyntax.self)?.calledExpression.id != ExprSyntax(node).id
        else { return false }
        let labels = node.declName.argumentNames?.arguments.map(\.name.text)
        return labels == nil || labels?.contains("selector") == true
    }

    /// The reason for which a member stays with Foundation's center.
    static func reason(for name: String) -> String {
        name == "publisher"
            ? "the publisher is Combine's and stays with Foundation's center"
            : "another module adds `\(name)` to Foundation's center, where it stays"
    }
}
