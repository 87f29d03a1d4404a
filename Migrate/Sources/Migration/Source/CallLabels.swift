// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwiftSyntax

extension FunctionCallExprSyntax {
    /// The labels of the arguments in parentheses; an underscore for none.
    var labels: [String] { arguments.map { $0.label?.text ?? "_" } }
}
