// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CBenchmarks
internal import Foundation

/// The arguments of a child.
struct ChildArguments {
    /// The first argument of a child, which no user gives.
    static let mark = "--as-child"

    let transport: Transport
    let address: String
    /// The folder for the child's files.
    let folder: String
    /// The number of receivers, for a poster; 0 makes a receiver.
    let receivers: Int
    let placement: Placement
    /// The process that starts the child.
    var parent = getpid()

    var words: [String] {
        [
            Self.mark, transport.rawValue, address, folder, "\(receivers)",
            "\(placement.rawValue)", "\(parent)",
        ]
    }
}

extension ChildArguments {
    /// Reads the words; nil if they are of no child.
    init?(words: [String]) {
        guard words.count == 7, words[0] == Self.mark,
            let transport = Transport(rawValue: words[1]),
            let receivers = Int(words[4]), let placement = Int(words[5]).flatMap(Placement.init),
            let parent = pid_t(words[6])
        else { return nil }
        self.init(
            transport: transport, address: words[2], folder: words[3], receivers: receivers,
            placement: placement, parent: parent)
    }
}

extension Placement {
    /// Puts the calling process where it belongs.
    func take(isPoster: Bool) {
        switch self {
        case .free: break
        case .one: benchmarks_pin_to(0)
        case .two: benchmarks_pin_to(isPoster ? 0 : 1)
        }
    }
}
