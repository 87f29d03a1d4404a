// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwiftParser
import SwiftSyntax

/// Methods of UIKit's and AppKit's classes that observers inherit: without parameters, on the main
/// actor.
enum AppleMethods {
    /// The methods, by the end of the name of the class before the first that the module declares.
    private static let names: [(ending: String, methods: Set<String>)] = [
        (
            "View",
            [
                "setNeedsLayout", "setNeedsDisplay", "layoutIfNeeded", "layoutSubviews",
                "invalidateIntrinsicContentSize", "setNeedsUpdateConstraints", "updateConstraints",
                "sizeToFit",
            ]
        ),
        ("TableView", ["reloadData"]), ("CollectionView", ["reloadData"]),
        (
            "ViewController",
            [
                "setNeedsStatusBarAppearanceUpdate", "viewDidLoad", "viewDidLayoutSubviews",
                "viewWillLayoutSubviews", "updateViewConstraints",
            ]
        ),
    ]
    /// Endings of UIKit's classes that are views, too.
    private static let views = ["Button", "Label", "Control", "Field", "Cell", "Bar", "Switch"]

    /// The method that the last of some classes inherits; nil if it may inherit none of the name.
    static func method(
        _ name: String, inheritedBy chain: [TypeInfo], _ file: SourceFile
    ) -> MethodInfo? {
        guard let last = chain.last else { return nil }
        let declared = last.kind == .outside ? last.name : last.declaredInheritance.first
        guard var superclass = declared, superclass.hasPrefix("UI") else { return nil }
        if views.contains(where: superclass.hasSuffix) { superclass += "View" }
        guard
            names.contains(where: {
                superclass.hasSuffix($0.ending) && $0.methods.contains(name)
            })
        else { return nil }
        let source = Parser.parse(source: "func \(name)() {}")
        guard let node = source.statements.first?.item.as(FunctionDeclSyntax.self) else {
            return nil
        }
        return MethodInfo(
            node, in: file, isInExtension: false, isolation: .mainActor, access: .internal)
    }
}
