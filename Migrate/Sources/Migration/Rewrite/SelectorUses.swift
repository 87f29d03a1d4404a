// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwiftSyntax

/// Where a package uses selectors, and which of them became methods.
final class SelectorUses {
    /// Those of `#selector` by the last name in them.
    private var macros: [String: [(node: MacroExpansionExprSyntax, work: FileWork)]] = [:]
    /// Names that strings and key paths might mean.
    private var strings: Set<String> = []
    private var convertedNodes: Set<SyntaxIdentifier> = []
    private(set) var convertedMethods: [SyntaxIdentifier: SelectorTarget] = [:]

    init(_ works: [FileWork]) {
        for work in works {
            let finder = SelectorFinder(viewMode: .sourceAccurate)
            finder.walk(work.file.tree)
            for macro in finder.macros {
                macros[macro.selectorName ?? "", default: []].append((macro, work))
            }
            strings.formUnion(finder.strings)
        }
    }

    /// Notes that a selector became a method.
    func converted(_ expression: ExprSyntax, to target: SelectorTarget) {
        convertedNodes.insert(expression.id)
        convertedMethods[target.method.node.id] = target
    }

    /// Whether something besides the converted selectors may name a method for Objective-C's runtime.
    func remain(of name: String) -> Bool {
        strings.contains(name)
            || (macros[name] ?? []).contains { !convertedNodes.contains($0.node.id) }
    }

    /// The uses of `#selector` that stayed, in files that use the center.
    var unconverted: [(node: MacroExpansionExprSyntax, work: FileWork)] {
        macros.values.joined().filter { !convertedNodes.contains($0.node.id) }
    }
}

private final class SelectorFinder: SyntaxVisitor {
    var macros: [MacroExpansionExprSyntax] = []
    var strings: Set<String> = []

    override func visit(_ node: MacroExpansionExprSyntax) -> SyntaxVisitorContinueKind {
        if node.macroName.text == "selector" { macros.append(node) }
        return .visitChildren
    }

    override func visit(_ node: StringLiteralExprSyntax) -> SyntaxVisitorContinueKind {
        if node.segments.count == 1, case .stringSegment(let segment)? = node.segments.first {
            let text = segment.content.text
            if let name = text.split(separator: ":", omittingEmptySubsequences: false).first {
                strings.insert(String(name))
                // `changed:` may be `changed(_:)`, and `changedWithNote:` `changed(note:)`.
                if let range = name.range(ofFirst: "With") { strings.insert(String(name[..<range])) }
            }
        }
        return .visitChildren
    }
}

extension Substring {
    /// Where a text first stands in this one.
    fileprivate func range(ofFirst text: String) -> String.Index? {
        indices.first { self[$0...].hasPrefix(text) }
    }
}

extension MacroExpansionExprSyntax {
    /// The last name in `#selector(…)`.
    var selectorName: String? {
        var expression = arguments.first?.expression
        while true {
            if let tuple = expression?.as(TupleExprSyntax.self) {
                expression = tuple.elements.first?.expression
            } else if let sequence = expression?.as(SequenceExprSyntax.self) {
                expression = sequence.elements.first
            } else {
                break
            }
        }
        if let member = expression?.as(MemberAccessExprSyntax.self) {
            return member.declName.baseName.text.withoutBackticks
        }
        return expression?.as(DeclReferenceExprSyntax.self)?.baseName.text.withoutBackticks
    }
}
