// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwiftSyntax

/// Whether a condition of `#if` holds on Linux.
enum LinuxCondition {
    case holds, fails, unknown

    /// Modules that Apple's systems alone have.
    static let appleModules: Set<String> = [
        "Darwin", "ObjectiveC", "UIKit", "AppKit", "Cocoa", "SwiftUI", "Combine", "WatchKit",
        "CoreData", "CoreGraphics", "QuartzCore", "AVFoundation", "MapKit",
        "CoreLocation", "Network", "OSLog", "os", "StoreKit", "WebKit", "UserNotifications",
        "CloudKit", "CoreBluetooth", "MediaPlayer", "ServiceManagement", "IOKit", "Security",
        "TVUIKit", "WidgetKit", "ARKit", "RealityKit", "SpriteKit", "SceneKit", "Metal",
    ]
    private static let linuxModules: Set<String> = [
        "Foundation", "FoundationEssentials", "FoundationNetworking", "FoundationXML", "Glibc",
        "Dispatch", "XCTest", "Testing", "Swift",
    ]

    init(_ expression: ExprSyntax?) {
        guard let expression else {
            self = .unknown
            return
        }
        if let sequence = expression.as(SequenceExprSyntax.self) {
            self.init(operands: Array(sequence.elements))
        } else if let infix = expression.as(InfixOperatorExprSyntax.self) {
            self.init(operands: [infix.leftOperand, infix.operator, infix.rightOperand])
        } else if let prefix = expression.as(PrefixOperatorExprSyntax.self),
            prefix.operator.text == "!"
        {
            self = LinuxCondition(prefix.expression).negated
        } else if let tuple = expression.as(TupleExprSyntax.self), tuple.elements.count == 1 {
            self.init(tuple.elements.first?.expression)
        } else if let literal = expression.as(BooleanLiteralExprSyntax.self) {
            self = literal.literal.text == "true" ? .holds : .fails
        } else if let call = expression.as(FunctionCallExprSyntax.self) {
            self.init(call)
        } else {
            self = .unknown
        }
    }

    /// Operands with `&&` and `||` between them; `&&` binds tighter.
    private init(operands: [ExprSyntax]) {
        var alternatives: [LinuxCondition] = []
        var all = LinuxCondition.holds
        for (index, element) in operands.enumerated() {
            if index.isMultiple(of: 2) {
                all = all.and(LinuxCondition(element))
                continue
            }
            switch element.as(BinaryOperatorExprSyntax.self)?.operator.text {
            case "&&": break
            case "||":
                alternatives.append(all)
                all = .holds
            default:
                self = .unknown
                return
            }
        }
        self = (alternatives + [all]).reduce(.fails) { $0.or($1) }
    }

    private init(_ call: FunctionCallExprSyntax) {
        let argument = call.arguments.first?.expression.trimmedDescription ?? ""
        switch call.calledExpression.trimmedDescription {
        case "os": self = argument == "Linux" ? .holds : .fails
        case "canImport":
            let module = argument.split(separator: ".").first.map(String.init) ?? ""
            self =
                Self.appleModules.contains(module)
                ? .fails : Self.linuxModules.contains(module) ? .holds : .unknown
        case "targetEnvironment": self = .fails
        case "_runtime": self = argument == "_ObjC" ? .fails : .holds
        default: self = .unknown
        }
    }

    private func and(_ other: LinuxCondition) -> LinuxCondition {
        if self == .fails || other == .fails { return .fails }
        return self == .holds && other == .holds ? .holds : .unknown
    }

    private func or(_ other: LinuxCondition) -> LinuxCondition {
        negated.and(other.negated).negated
    }

    private var negated: LinuxCondition {
        switch self {
        case .holds: .fails
        case .fails: .holds
        case .unknown: .unknown
        }
    }
}

extension IfConfigClauseSyntax {
    /// Whether the clause is never compiled on Linux.
    var isAppleOnly: Bool {
        guard let siblings = parent?.as(IfConfigClauseListSyntax.self) else { return false }
        for clause in siblings {
            if clause.id == id { break }
            if LinuxCondition(clause.condition) == .holds { return true }
        }
        return condition != nil && LinuxCondition(condition) == .fails
    }
}

/// Finds the code in branches of `#if` that Linux never compiles.
final class AppleBranches: SyntaxVisitor {
    private var found: [Range<Int>] = []

    static func all(in tree: SourceFileSyntax) -> [Range<Int>] {
        let finder = AppleBranches(viewMode: .sourceAccurate)
        finder.walk(tree)
        return finder.found
    }

    override func visit(_ node: IfConfigClauseSyntax) -> SyntaxVisitorContinueKind {
        guard node.isAppleOnly, let elements = node.elements else { return .visitChildren }
        found.append(elements.range)
        return .skipChildren
    }
}
