// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwiftSyntax

/// A call of `addObserver` that becomes one of `observe`, whose arguments have another order.
struct ObserveCall {
    let call: SelectorCall
    let file: SourceFile
    /// Closures that become statements, which return nothing.
    let blocks: [CenterBlock]
    /// The expression for the name.
    let name: String
    /// The expression for the observer.
    let observer: String
    /// The method or closure to call.
    let method: String
    /// Whether the method runs on the main actor.
    var isOnMain = false

    /// Whether `observe` can stand where the call stands: it returns a token.
    static func canReplace(_ call: SelectorCall) -> Bool {
        call.node.parent?.is(CodeBlockItemSyntax.self) == true
    }

    /// The edits that turn the call into one of `observe`.
    var edits: [Edit] {
        let hasObject = !call.object.is(NilLiteralExprSyntax.self)
        var slots = [name]
        if hasObject { slots.append("of: " + call.object.trimmedDescription) }
        slots.append("with: " + observer)
        slots.append(method)
        if isOnMain { slots.append("on: .main") }
        var edits = [Edit(range: call.callee.range, text: "observe")]
        if isClosureResult {
            let start = call.node.range.lowerBound
            edits.append(Edit(range: start..<start, text: "_ = "))
        }
        let arguments = call.arguments
        for (index, argument) in arguments.enumerated() {
            let start = argument.range.lowerBound
            let end = argument.expression.range.upperBound
            if index < arguments.count - 1, index < slots.count {
                edits.append(Edit(range: start..<end, text: slots[index]))
            } else if index < slots.count {
                let separator =
                    file.isFirstOnLine(start)
                    ? "," + file.newline + file.indentation(at: start) : ", "
                edits.append(
                    Edit(range: start..<end, text: slots[index...].joined(separator: separator)))
            } else {
                // The argument goes, with the comma before it.
                let before = arguments[index - 1].expression.range.upperBound
                edits.append(Edit(range: before..<end, text: ""))
            }
        }
        return merged(edits)
    }

    /// Whether a closure would return the token, as its only statement.
    private var isClosureResult: Bool {
        guard let list = call.node.parent?.parent?.as(CodeBlockItemListSyntax.self),
            let closure = list.parent?.as(ClosureExprSyntax.self)
        else { return false }
        return list.count == 1 && !blocks.contains { $0.isCall(of: closure) }
    }

    /// Merges edits that touch each other.
    private func merged(_ edits: [Edit]) -> [Edit] {
        edits.sorted().reduce(into: []) { merged, edit in
            if let last = merged.last, last.range.upperBound == edit.range.lowerBound {
                merged[merged.count - 1] = Edit(
                    range: last.range.lowerBound..<edit.range.upperBound,
                    text: last.text + edit.text)
            } else {
                merged.append(edit)
            }
        }
    }
}
