// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwiftSyntax

/// A package's uses of selectors, and the ones that became methods.
final class SelectorUses {
    /// The uses of `#selector`, by the last name in them.
    private var macros: [String: [(node: MacroExpansionExprSyntax, work: FileWork)]] = [:]
    /// Names of methods that strings might mean, and the strings.
    private var strings: [String: Set<SyntaxIdentifier>] = [:]
    /// Names in all strings, where one may become a selector.
    private var possible: Set<String> = []
    private var convertedNodes: Set<SyntaxIdentifier> = []
    /// Selectors that stay, and are in the report.
    private var reportedNodes: Set<SyntaxIdentifier> = []
    private(set) var convertedMethods: [SyntaxIdentifier: SelectorTarget] = [:]

    init(_ works: [FileWork]) {
        var others: Set<String> = []
        var makesAny = false
        for work in works {
            let finder = SelectorFinder(viewMode: .sourceAccurate)
            finder.walk(work.file.tree)
            for macro in finder.macros {
                macros[macro.selectorName ?? "", default: []].append((macro, work))
            }
            for (name, literals) in finder.strings {
                strings[name, default: []].formUnion(literals)
            }
            others.formUnion(finder.others)
            makesAny = makesAny || finder.makesAny
        }
        if makesAny { possible = others }
    }

    /// Notes that a selector became a method.
    func converted(_ expression: ExprSyntax, to target: SelectorTarget) {
        convertedNodes.insert(expression.id)
        let finder = LiteralFinder(viewMode: .sourceAccurate)
        finder.walk(expression)
        convertedNodes.formUnion(finder.found)
        convertedMethods[target.method.node.id] = target
    }

    /// Whether a selector became a method.
    func isConverted(_ expression: ExprSyntax) -> Bool { convertedNodes.contains(expression.id) }

    /// Notes that a selector stays for a reason that is reported with it. Returns false if that was
    /// noted.
    func stays(_ expression: ExprSyntax) -> Bool { reportedNodes.insert(expression.id).inserted }

    /// Whether something besides the converted selectors may name a method for Objective-C's
    /// runtime.
    func remain(of name: String) -> Bool {
        possible.contains(name) || strings[name]?.isSubset(of: convertedNodes) == false
            || (macros[name] ?? []).contains { !convertedNodes.contains($0.node.id) }
    }

    /// The uses of `#selector` that stayed, and are not in the report.
    var unconverted: [(node: MacroExpansionExprSyntax, work: FileWork)] {
        macros.values.joined().filter {
            !convertedNodes.contains($0.node.id) && !reportedNodes.contains($0.node.id)
        }
    }
}

private final class SelectorFinder: SyntaxVisitor {
    var macros: [MacroExpansionExprSyntax] = []
    /// Names in strings that are selectors, or look like them, and the strings.
    var strings: [String: Set<SyntaxIdentifier>] = [:]
    /// Other strings, which are selectors only if one is made of a variable.
    var others: Set<String> = []
    var makesAny = false

    override func visit(_ node: MacroExpansionExprSyntax) -> SyntaxVisitorContinueKind {
        if node.macroName.text == "selector" { macros.append(node) }
        return .visitChildren
    }

    override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
        let makers = ["Selector", "NSSelectorFromString", "sel_registerName", "sel_getUid"]
        if makers.contains(node.calledExpression.trimmedDescription) {
            var argument = node.arguments.first?.expression
            while let tuple = argument?.as(TupleExprSyntax.self) {
                argument = tuple.elements.first?.expression
            }
            if let literal = argument?.as(StringLiteralExprSyntax.self), literal.segments.count == 1
            {
                add(literal.segments.trimmedDescription, at: literal)
            } else {
                makesAny = true
            }
        }
        return .visitChildren
    }

    override func visit(_ node: StringLiteralExprSyntax) -> SyntaxVisitorContinueKind {
        let text = node.segments.trimmedDescription
        if text.hasSuffix(":") { add(text, at: node) }
        others.insert(text)
        return .visitChildren
    }

    private func add(_ selector: String, at literal: StringLiteralExprSyntax) {
        let pieces = selector.split(separator: ":", omittingEmptySubsequences: false)
        guard let name = pieces.first else { return }
        strings[String(name), default: []].insert(literal.id)
        // `changedWithNote:` may be `changed(note:)`.
        if let end = name.indices.first(where: { name[$0...].hasPrefix("With") }) {
            strings[String(name[..<end]), default: []].insert(literal.id)
        }
    }
}

/// Finds the string literals in an expression.
private final class LiteralFinder: SyntaxVisitor {
    var found: [SyntaxIdentifier] = []

    override func visit(_ node: StringLiteralExprSyntax) -> SyntaxVisitorContinueKind {
        found.append(node.id)
        return .skipChildren
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
