// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwiftSyntax

extension ExprSyntax {
    /// The value that a statement assigns to the expression.
    var assignedValue: ExprSyntax? {
        guard let elements = parent?.as(ExprListSyntax.self).map(Array.init), elements.count == 3,
            elements[0].id == id, elements[1].is(AssignmentExprSyntax.self)
        else { return nil }
        return elements[2]
    }
}
