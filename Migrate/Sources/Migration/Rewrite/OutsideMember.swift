// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwiftSyntax

/// A use of the center that stays Foundation's: a call of a member that another module adds to that
/// center, as Combine adds `publisher`, or a center that another module gets.
struct OutsideMember {
    /// The center.
    var node: Syntax
    /// The edit that makes the center Foundation's; nil where it is already.
    var edit: Edit?
    var code: Finding.Code
    /// What stays, as a clause of the report.
    var reason: String
    /// The name of the notifications that the call hears, where it says so.
    var name: ExprSyntax?
    /// Whether the center is a constant, whose type may change in another file.
    var isConstant: Bool

    /// The name that a call of a member gives, as in `center.publisher(for: name)` and
    /// `center.rx.notification(name)`.
    static func name(in member: MemberAccessExprSyntax) -> ExprSyntax? {
        var called = member
        if let next = member.parent?.as(MemberAccessExprSyntax.self),
            next.base?.id == ExprSyntax(member).id
        {
            called = next
        }
        guard let call = called.parent?.as(FunctionCallExprSyntax.self),
            call.calledExpression.id == ExprSyntax(called).id
        else { return nil }
        return call.arguments.first?.expression
    }
}

/// Leaves such uses with Foundation's center in a file whose center becomes Switchyard's.
enum OutsideMemberRewriter {
    static func rewrite(_ work: FileWork, _ posts: FoundationPosts) {
        // A file that does nothing else with the center stays Foundation's without a change.
        let isSwitched =
            !work.uses.switched.isEmpty || work.module.isSwitchedByAlias("NotificationCenter")
        for member in work.listeners {
            if let edit = member.edit, member.isConstant || isSwitched {
                guard work.edit([edit]) else { continue }
            }
            posts.report(member, in: work)
        }
    }
}
