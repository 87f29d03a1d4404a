// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation

/// Finds the lines of source that return addresses belong to.
package struct CallSiteNames {
    private var symbols: [TraceBatch.Frame: [FrameSymbol]] = [:]

    /// Looks up all frames of these sites.
    ///
    /// - Parameter process: the process that posted there, or did so before it ended. Files that
    ///   were replaced since it mapped them, as by a build, are not read: their lines are others.
    package init(_ sites: [UInt32: [TraceBatch.Frame]], of process: Int32) {
        let files = MappedFiles(of: process)
        var readable: [TraceBatch.Frame: TraceBatch.Frame] = [:]
        for frame in Set(sites.values.joined()) {
            // A question is a line with the path in quotation marks.
            guard !frame.module.isEmpty,
                !frame.module.contains(where: { $0 == "\"" || $0.isNewline }),
                let path = files.readablePath(of: frame.module), Self.isFile(path)
            else { continue }
            readable[frame] = TraceBatch.Frame(module: path, offset: frame.offset)
        }
        let found = FrameSymbol.look(for: Set(readable.values))
        symbols = readable.compactMapValues { found[$0] }
    }

    /// The line from which a post was made: that of the first function that is neither the center's
    /// own nor a part of Swift's libraries or the system's. The function's name if its code has no
    /// debug information; nil if there is no name either.
    package func line(of site: [TraceBatch.Frame]) -> String? {
        for frame in site where !Self.isPassedOver(module: frame.module) {
            // The code that may have posted is not known.
            guard let found = symbols[frame], !found.isEmpty else { return nil }
            for symbol in found {
                let file = symbol.file ?? ""
                if Self.isOwn(file: file) { continue }
                if let line = symbol.line, line > 0, !file.isEmpty {
                    return "\(Self.shortened(file)):\(line)"
                }
                let function = symbol.function ?? ""
                if Self.isOwn(function: function) { continue }
                return function.isEmpty ? nil : function
            }
        }
        return nil
    }

    /// Whether a module is Switchyard's own, or a library through which a program may post: what is
    /// behind it in the stack may be the program's.
    private static func isPassedOver(module path: String) -> Bool {
        let name = path.split(separator: "/").last ?? ""
        let beginnings = [
            "libswift", "libFoundation", "lib_Foundation", "libdispatch", "libBlocksRuntime",
            "libc.",
            "libc-", "libpthread", "libstdc++", "ld-linux",
        ]
        return beginnings.contains { name.hasPrefix($0) }
            || modules.contains { name.hasPrefix("lib\($0).") }
    }

    /// Whether a source file belongs to Switchyard, or the compiler made it up.
    private static func isOwn(file: String) -> Bool {
        if file.hasSuffix("<compiler-generated>") { return true }
        let parts = file.split(separator: "/")
        guard let sources = parts.lastIndex(of: "Sources"), sources + 1 < parts.count else {
            return false
        }
        return modules.contains(String(parts[sources + 1]))
    }

    /// Whether a function, by its mangled name, belongs to Switchyard or to Swift's library.
    private static func isOwn(function: String) -> Bool {
        [
            "$ss", "$sS", "$s10Foundation", "$s20Foundation", "$s30Foundation", "$s8Dispatch",
            "_dispatch_", "switchyard_",
        ]
        .contains { function.hasPrefix($0) }
            || modules.contains { function.hasPrefix("$s\($0.utf8.count)\($0)") }
    }

    private static let modules = [
        "CSwitchyard", "SwitchyardCore", "Switchyard", "SwitchyardDistributed", "SwitchyardNATS",
        "SwitchyardOpenCombine", "SwitchyardCoreFoundation",
    ]

    /// The file with its folder, as registrations have it.
    private static func shortened(_ path: String) -> String {
        path.split(separator: "/").suffix(2).joined(separator: "/")
    }

    /// Whether a path leads to a plain file. Reading another may never end.
    private static func isFile(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }
}
