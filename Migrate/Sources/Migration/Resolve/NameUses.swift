// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwiftSyntax

/// Finds the uses of a name.
final class NameUses: SyntaxVisitor {
    private let name: String
    private var found: [DeclReferenceExprSyntax] = []

    private init(_ name: String) {
        self.name = name
        super.init(viewMode: .sourceAccurate)
    }

    /// The expressions of a name in a node.
    static func of(_ name: String, in node: some SyntaxProtocol) -> [DeclReferenceExprSyntax] {
        let finder = NameUses(name)
        finder.walk(node)
        return finder.found
    }

    override func visit(_ node: DeclReferenceExprSyntax) -> SyntaxVisitorContinueKind {
        if node.baseName.text == name { found.append(node) }
        return .visitChildren
    }
}
