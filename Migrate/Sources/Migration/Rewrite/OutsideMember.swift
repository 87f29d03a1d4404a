// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwiftSyntax

/// A call of a member that another module adds to Foundation's center, as Combine adds `publisher`.
struct OutsideMember {
    /// The center.
    var node: Syntax
    /// The edit that makes the center Foundation's.
    var edit: Edit
    var code: Finding.Code
    var message: String
    /// Whether the center is a constant, whose type may change in another file.
    var isConstant: Bool
}

/// Leaves such calls with Foundation's center in a file whose center becomes Switchyard's.
enum OutsideMemberRewriter {
    static func rewrite(_ work: FileWork) {
        for member in work.uses.qualified {
            // A file that does nothing else with the center stays Foundation's without a change.
            guard member.isConstant || !work.uses.switched.isEmpty, work.edit([member.edit]) else {
                continue
            }
            work.report(.left, member.code, at: member.node, member.message)
        }
    }
}
