// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The names in sources that are not Swift: Objective-C, and files of the interface builder. They
/// may call methods that `@objc` exposes.
final class OtherSources {
    private let sources: [SourceText]
    /// Hashes of the names, which are collected when the first is asked for.
    private lazy var names = sources.reduce(into: Set<UInt64>()) { names, source in
        Self.collect(source.contents, into: &names)
    }

    init(_ sources: [SourceText]) { self.sources = sources }

    /// Whether a source may name a method, by its name or with `With` and the label of its
    /// parameter.
    func mayName(_ method: MethodInfo) -> Bool {
        guard !sources.isEmpty else { return false }
        let name = method.name.withoutBackticks
        if names.contains(Self.hash(name.utf8)) { return true }
        guard let label = method.labels.first, let initial = label.first, label != "_" else {
            return false
        }
        let long = name + "With" + initial.uppercased() + label.dropFirst()
        return names.contains(Self.hash(long.utf8))
    }

    // MARK: - Hashes

    private static let start: UInt64 = 0xCBF2_9CE4_8422_2325

    private static func add(_ byte: UInt8, to hash: UInt64) -> UInt64 {
        (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
    }

    private static func hash(_ bytes: some Sequence<UInt8>) -> UInt64 {
        bytes.reduce(start) { add($1, to: $0) }
    }

    private static func collect(_ bytes: [UInt8], into names: inout Set<UInt64>) {
        var hash = start
        var isInName = false
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...:
                hash = add(byte, to: hash)
                isInName = true
            default:
                if isInName { names.insert(hash) }
                (hash, isInName) = (start, false)
            }
        }
        if isInName { names.insert(hash) }
    }
}
