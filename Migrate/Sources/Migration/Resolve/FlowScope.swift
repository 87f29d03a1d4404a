// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwiftSyntax

/// The files of a module, in which selectors are followed.
final class FlowScope {
    /// A use of a name, with its file.
    struct Use {
        let node: DeclReferenceExprSyntax
        let work: FileWork
    }

    let package: PackageIndex
    let works: [FileWork]
    /// The files that stay as they are.
    private let left: Set<ObjectIdentifier>
    /// Calls that were changed with another call, to which the same selectors flow.
    var changed: Set<SyntaxIdentifier> = []
    /// The protocols asking for selectors to which Switchyard's center conforms.
    var answered: [TypeInfo] = []
    /// The uses of names for which a search was made.
    private var found: [String: [Use]] = [:]

    init(package: PackageIndex, works: [FileWork], left: Set<ObjectIdentifier>) {
        self.package = package
        self.works = works
        self.left = left
    }

    /// Whether a file stays as it is, also one that is for Apple's systems alone and names no
    /// center.
    func isLeft(_ work: FileWork) -> Bool {
        left.contains(ObjectIdentifier(work))
            || !work.file.isForApple && ImportFinder.appleImport(in: work.file) != nil
    }

    /// The uses of a name in all files of the module.
    func uses(of name: String) -> [Use] {
        if let uses = found[name] { return uses }
        let uses = works.filter { $0.file.mentions([name]) }.flatMap { work in
            NameUses.of(name, in: work.file.tree).map { Use(node: $0, work: work) }
        }
        found[name] = uses
        return uses
    }

    /// Whether a file that can't be read in full has a name.
    func hasDamaged(mentioning name: String) -> Bool {
        works.contains { $0.file.hasSyntaxError && $0.file.mentions([name]) }
    }

    /// Whether a file of another module that sees internal declarations uses a name.
    func isUsedByTests(_ name: String, of module: ModuleIndex) -> Bool {
        package.modules.contains { other in
            other !== module
                && other.files.contains {
                    $0.mentions(["@testable"]) && $0.mentions([name])
                        && !NameUses.of(name, in: $0.tree).isEmpty
                }
        }
    }

    /// Whether a protocol of the package asks for a method of a name. (Its extensions have bodies.)
    func isRequired(_ name: String) -> Bool {
        package.modules.contains { module in
            module.types.values.joined().contains { type in
                type.kind == .protocol && type.methods.contains { $0.name == name && !$0.hasBody }
            }
        }
    }
}

extension FileWork {
    /// The file and the line of a node, as in `Views/Screen.swift:12`.
    func place(of node: some SyntaxProtocol) -> String {
        let line = file.position(node.positionAfterSkippingLeadingTrivia.utf8Offset).line
        return "\(file.path):\(line)"
    }
}
