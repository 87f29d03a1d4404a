// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwiftSyntax

/// Removes `@objc` from methods whose selectors all became methods.
struct ObjcRewriter {
    let package: PackageIndex
    let works: [FileWork]
    let selectors: SelectorUses
    let others: OtherSources
    let isForDarwin: Bool

    func rewrite() {
        var seen: Set<SyntaxIdentifier> = []
        for target in selectors.convertedMethods.values.flatMap(family) {
            let method = target.method
            guard seen.insert(method.node.id).inserted else { continue }
            guard let work = works.first(where: { $0.file === method.file }) else { continue }
            guard let attribute = method.attribute("objc") else {
                if method.file.isForApple { continue }
                if let added = method.node.ancestors.lazy.compactMap({
                    $0.as(ExtensionDeclSyntax.self)
                })
                .first?.attributes.named("objc") {
                    work.report(
                        .left, .objc, at: added, "`@objc` of an extension does not compile on Linux"
                    )
                }
                if target.type.isObjcMembers {
                    work.report(
                        .left, .objc, at: target.type.node,
                        "`@objcMembers` does not compile on Linux: remove it if nothing needs it")
                }
                continue
            }
            if let reason = reasonToKeep(attribute, of: target, in: work) {
                if method.file.isForApple { continue }
                work.report(
                    .left, .objc, at: attribute,
                    "`@objc` stays, because \(reason). It does not compile on Linux")
            } else if isForDarwin {
                keepForDarwin(attribute, in: work)
            } else {
                remove(attribute, in: work)
            }
        }
    }

    /// A method with the methods that it overrides, and the methods that override it.
    private func family(of target: SelectorTarget) -> [SelectorTarget] {
        guard let module = works.first(where: { $0.file === target.method.file })?.module else {
            return [target]
        }
        let above = module.chainWithFrameworks(of: target.type)
        let below = module.types.values.joined().filter { type in
            type.kind == .class && type.methods.contains { $0.name == target.method.name }
                && module.chainWithFrameworks(of: type).contains { $0 === target.type }
        }
        return (above + below).flatMap { type in
            type.methods.filter {
                $0.name == target.method.name && $0.labels == target.method.labels && !$0.isStatic
            }.map { method in
                var relative = target
                (relative.type, relative.method) = (type, method)
                return relative
            }
        }
    }

    // MARK: - Reasons

    private func reasonToKeep(
        _ attribute: AttributeSyntax, of target: SelectorTarget, in work: FileWork
    ) -> String? {
        let (method, type) = (target.method, target.type)
        if attribute.arguments != nil { return "it gives the method a name for Objective-C" }
        if selectors.remain(of: method.name.withoutBackticks) {
            return "another selector or a string may name `\(method.name)`"
        }
        if others.mayName(method) {
            return "a source in Objective-C or of the interface builder names `\(method.name)`"
        }
        if method.has("dynamic") { return "the method is `dynamic`" }
        for name in ["IBAction", "IBSegueAction", "NSManaged", "GKInspectable"]
        where method.attribute(name) != nil {
            return "the method is an `@\(name)`"
        }
        if type.isObjcMembers || type.isObjc { return "`\(type.name)` is exposed to Objective-C" }
        if method.access >= .public, type.access >= .public || type.kind == .outside {
            return "the method is public, and other modules may use its selector"
        }
        if isOverridden(target, in: work) { return "overriding needs it" }
        if let name = requiringProtocol(of: target, in: work) {
            return "the protocol `\(name)` may ask for it"
        }
        return nil
    }

    /// Whether overriding needs the attribute, because another module or an extension declares the
    /// method, or an extension overrides it.
    private func isOverridden(_ target: SelectorTarget, in work: FileWork) -> Bool {
        let method = target.method
        let relatives = family(of: target).filter { $0.method !== method }
        if ([target] + relatives).contains(where: \.method.isOverrideInExtension) { return true }
        if method.isOverride {
            return !relatives.contains { !$0.method.isOverride && !$0.method.isInExtension }
        }
        return method.isInExtension && relatives.contains { $0.method.isOverride }
    }

    /// The protocol for Objective-C that asks for a method of this name.
    private func requiringProtocol(of target: SelectorTarget, in work: FileWork) -> String? {
        for type in work.module.chain(of: target.type) {
            for name in type.inheritance {
                guard
                    let found = package.modules.lazy.compactMap({
                        $0.type(named: name, at: type.node, in: type.file)
                    }).first(where: { $0.kind == .protocol })
                else { continue }
                if found.isObjc, found.methods.contains(where: { $0.name == target.method.name }) {
                    return name
                }
            }
        }
        return nil
    }

    // MARK: - Edits

    private func remove(_ attribute: AttributeSyntax, in work: FileWork) {
        let file = work.file
        let range = attribute.range
        var end = range.upperBound
        let bytes = file.bytes
        func isBlank(_ byte: UInt8) -> Bool {
            byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
        }
        while end < bytes.count, isBlank(bytes[end]) { end += 1 }
        var start = range.lowerBound
        if end < bytes.count, bytes[end] == UInt8(ascii: "\n") || bytes[end] == UInt8(ascii: "\r"),
            file.isFirstOnLine(start)
        {
            // The attribute has the line for itself: the line goes.
            start = file.lineStarts[file.lineIndex(of: start)]
            if bytes[end] == UInt8(ascii: "\r") { end += 1 }
            if end < bytes.count, bytes[end] == UInt8(ascii: "\n") { end += 1 }
        } else if end < bytes.count,
            bytes[end] == UInt8(ascii: "\n") || bytes[end] == UInt8(ascii: "\r")
        {
            // The attribute ends a line: the blank before it goes, in place of the line's end.
            end = range.upperBound
            while start > 0, isBlank(bytes[start - 1]) { start -= 1 }
        }
        guard work.edit([Edit(range: start..<end, text: "")]) else { return }
        work.report(.changed, .objc, at: attribute, "`@objc` is not needed any more")
    }

    private func keepForDarwin(_ attribute: AttributeSyntax, in work: FileWork) {
        let file = work.file
        let range = attribute.range
        let isFirst =
            file.isFirstOnLine(range.lowerBound)
            && attribute.parent?.as(AttributeListSyntax.self)?.first?.id == Syntax(attribute).id
        guard isFirst else {
            work.report(
                .left, .objc, at: attribute,
                "`@objc` does not compile on Linux: put it first, on a line of its own, inside `#if canImport(Darwin)`"
            )
            return
        }
        let line = file.newline + file.indentation(at: range.lowerBound)
        var text = "#if canImport(Darwin)" + line + "@objc" + line + "#endif"
        var end = range.upperBound
        while end < file.bytes.count, file.bytes[end] == UInt8(ascii: " ") { end += 1 }
        if end < file.bytes.count, file.bytes[end] != UInt8(ascii: "\n"),
            file.bytes[end] != UInt8(ascii: "\r")
        {
            text += line
        }
        guard work.edit([Edit(range: range.lowerBound..<end, text: text)]) else { return }
        work.report(.changed, .objc, at: attribute, "`@objc` is for Apple's systems alone now")
    }
}
