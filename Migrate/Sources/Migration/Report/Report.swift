// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

public import Foundation

/// The report of a migration, for people and for programs.
public struct Report: Sendable, Codable {
    /// The form of the report. It changes when programs that read an earlier one could not read it.
    public var version = 1
    /// The paths of the files that change.
    public var changedFiles: [String]
    /// The changed and the left places.
    public var findings: [Finding]

    /// The report of a migration.
    public init(_ migration: Migration) {
        changedFiles = migration.files.map(\.path)
        findings = migration.findings
    }

    /// Whether a package's manifest changes.
    public var changesManifest: Bool {
        changedFiles.contains { $0 == "Package.swift" || $0.hasSuffix("/Package.swift") }
    }

    /// The report as JSON, with sorted keys and a line end.
    public func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(self) + Data("\n".utf8)
    }

    /// The report for people, of changes that are not written.
    public var text: String { text(isWritten: false) }

    /// The report for people: a line for each finding, as compilers write them, and a summary.
    ///
    /// - Parameter isWritten: whether the changes have been written.
    public func text(isWritten: Bool) -> String {
        var lines = findings.map { finding in
            let kind =
                switch finding.kind {
                case .changed: "changed"
                case .left: "left"
                case .note where finding.code == .otherCenter: "another center"
                case .note: "note"
                }
            return
                "\(finding.file):\(finding.line):\(finding.column): \(kind): \(finding.message) [\(finding.code.rawValue)]"
        }
        let left = findings.count { $0.kind == .left }
        let others = findings.count { $0.kind == .note && $0.code == .otherCenter }
        let changes = findings.count { $0.kind == .changed }
        lines.append(
            "\(Self.counted(changedFiles.count, "file")) \(isWritten ? "changed" : "to change"), "
                + "\(Self.counted(changes, "change")); "
                + (left == 0
                    ? "nothing is left" : "\(Self.counted(left, "place")) left for a person")
                + (others == 0
                    ? "" : "; \(Self.counted(others, "use")) of other centers that stay Apple's"))
        return lines.joined(separator: "\n") + "\n"
    }

    private static func counted(_ count: Int, _ noun: String) -> String {
        "\(count) \(noun)\(count == 1 ? "" : "s")"
    }
}
