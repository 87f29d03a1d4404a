// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwiftSyntax

/// Tells which posts the uses of a module hear that stay with Foundation's center.
///
/// The system posts on that center. What the package posts on Switchyard's reaches it where the
/// program sets `postsToFoundation`.
struct FoundationPosts {
    static let property = "postsToFoundation"
    static let advice =
        "set `NotificationCenter.default.postsToFoundation`, so that it hears what is posted on Switchyard's"

    private let package: PackageIndex
    /// Names in the calls that post, in the whole package.
    private let posted: Set<String>
    /// Whether files of the package post on Switchyard's center.
    private let moves: Bool
    /// The file that sets the property.
    private let setter: FileWork?

    /// What is known of a module's files; `program` is that of a program which the module is a part
    /// of.
    init(
        _ works: [FileWork], of package: PackageIndex, posted: Set<String>, moves: Bool,
        in program: FoundationPosts? = nil
    ) {
        self.package = package
        self.posted = posted
        self.moves = moves
        setter = works.first { Self.sets($0) } ?? program?.setter
    }

    private init(_ other: FoundationPosts, setter: FileWork?) {
        package = other.package
        posted = other.posted
        moves = other.moves
        self.setter = setter
    }

    /// The same, after the program's start has got the statement if a use in some files needs it.
    func settingProperty(in works: [FileWork], for listening: [FileWork]) -> FoundationPosts {
        let needsIt = listening.contains { work in
            work.listeners.contains { systemName($0, in: work) == nil }
        }
        guard moves, setter == nil, needsIt else { return self }
        var setter: FileWork?
        for start in ProgramStart.all(in: works) where start.work.edit(start.edits) {
            start.work.uses.calls.append(start.anchor)
            start.work.report(
                .changed, .posts, at: start.anchor,
                "`NotificationCenter.default.\(Self.property)` is set, for what stays with Foundation's center"
            )
            setter = setter ?? start.work
        }
        return FoundationPosts(self, setter: setter)
    }

    /// Reports a use that stays with Foundation's center.
    func report(_ member: OutsideMember, in work: FileWork) {
        guard moves else { return }
        if let name = systemName(member, in: work) {
            work.report(
                .note, member.code, at: member.node,
                "\(member.reason), on which the system posts `\(name)`")
        } else if let setter {
            work.report(
                .note, member.code, at: member.node,
                "\(member.reason); `\(setter.file.path)` sets `\(Self.property)`, so it hears what is posted on Switchyard's"
            )
        } else {
            work.report(.left, member.code, at: member.node, "\(member.reason): \(Self.advice)")
        }
    }

    /// The name that a use hears, where the system posts it and the package does not.
    private func systemName(_ member: OutsideMember, in work: FileWork) -> String? {
        guard let name = member.name?.as(MemberAccessExprSyntax.self),
            SystemNames.contains(name, module: work.module, file: work.file)
        else { return nil }
        let last = name.declName.baseName.text
        return posted.contains(last) || package.declares(last) ? nil : name.trimmedDescription
    }

    /// Whether a file of the program, and not of its tests, sets the property.
    private static func sets(_ work: FileWork) -> Bool {
        guard work.file.mentions([property]) else { return false }
        return !ImportFinder.all(in: work.file.tree).contains {
            ["XCTest", "Testing"].contains($0.module)
        }
    }
}
