// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The file and line at which an observation was registered: its origin.
public struct RegistrationSite: Sendable, Hashable, CustomStringConvertible {
    // Each registration keeps a site, so it is small: a `StaticString` alone is three words.
    // Unsafe, because of the pointer: to a constant of the program.
    private nonisolated(unsafe) let fileID: UnsafePointer<UInt8>
    private let fileLength: UInt32
    private let number: UInt32

    package init(_ fileID: StaticString, _ line: UInt) {
        Misuse.unless(fileID.hasPointerRepresentation, "a file is named by #fileID")
        self.fileID = fileID.utf8Start
        fileLength = UInt32(truncatingIfNeeded: fileID.utf8CodeUnitCount)
        number = UInt32(truncatingIfNeeded: line)
    }

    /// The module and file, as `#fileID` gives them.
    public var file: String {
        String(decoding: UnsafeBufferPointer(start: fileID, count: Int(fileLength)), as: UTF8.self)
    }
    /// The line in that file.
    public var line: Int { Int(number) }
    /// `Module/File.swift:12`.
    public var description: String { number == 0 ? file : "\(file):\(line)" }

    /// Equal when file and line are.
    public static func == (left: RegistrationSite, right: RegistrationSite) -> Bool {
        left.number == right.number && left.file == right.file
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(file)
        hasher.combine(number)
    }
}
