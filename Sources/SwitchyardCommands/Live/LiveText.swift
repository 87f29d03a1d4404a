// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import SwitchyardCore
internal import SwitchyardWire

/// Texts of the live page.
enum LiveText {
    /// The most characters of a text from the process, as Unicode counts them. A character that a
    /// reader sees may be made of thousands.
    private static let longest = 120

    /// A text of the process, for people to read in one line. It may be anything.
    static func short(_ text: String) -> String {
        let scalars = String(text.unicodeScalars.prefix(longest)).shown.unicodeScalars
        let isWhole =
            scalars.count <= longest && text.unicodeScalars.dropFirst(longest).isEmpty
        return isWhole ? String(scalars) : String(scalars.prefix(longest)) + "…"
    }

    /// A topic: a name in quotation marks, or the type of a message.
    static func topic(_ text: String) -> String {
        guard text.hasPrefix("\"") else { return short(text) }
        let name = text.dropFirst()
        // A long one is cut off without its quotation mark at the end.
        return "“\(short(String(name.hasSuffix("\"") ? name.dropLast() : name)))”"
    }

    /// A call site or an origin without its folder.
    static func place(_ text: String) -> String {
        short(text.split(separator: "/").last.map { String($0) } ?? text)
    }

    /// A number a second, in words.
    static func rate(_ rate: Double) -> String {
        switch rate {
        case ..<0.005: "none"
        case ..<0.95: "\(Int((rate * 60).rounded())) a minute"
        case ..<9.95: String(format: "%.1f a second", rate)
        default: "\(number(rate)) a second"
        }
    }

    /// A number a second, as how often something happens.
    static func often(_ rate: Double) -> String {
        switch rate {
        case ..<0.005: "never"
        case ..<0.95: "\(Int((rate * 60).rounded())) times a minute"
        case ..<9.95: String(format: "%.1f times a second", rate)
        default: "\(number(rate)) times a second"
        }
    }

    /// A figure as exact as a picture needs it, so that it changes less often.
    static func rounded(_ value: Double) -> Double {
        guard value > 0, value.isFinite else { return 0 }
        var scale = 1.0
        while value * scale < 100, scale < 1e6 { scale *= 10 }
        if scale > 1 { return (value * scale).rounded() / scale }
        var unit = 1.0
        while value / unit >= 1000 { unit *= 10 }
        return (value / unit).rounded() * unit
    }

    /// A number with commas between thousands.
    static func number(_ value: Double) -> String {
        var digits = String(Int(min(max(value, 0), 1e15).rounded()))
        var groups: [String] = []
        while digits.count > 3 {
            groups.insert(String(digits.suffix(3)), at: 0)
            digits.removeLast(3)
        }
        return ([digits] + groups).joined(separator: ",")
    }

    /// A time of seconds.
    static func time(_ seconds: Double) -> String { HandlerTable.time(seconds) }

    /// The length of a bar in hundredths, for a part of a whole. The numbers come from another
    /// process, which may send any.
    static func bar(_ part: Double, of whole: Double = 1) -> Int {
        let share = part / whole
        return share.isNaN ? 0 : Int(100 * min(max(share, 0), 1))
    }

    /// The step of a time of seconds: under 100 µs, under 1 ms, under a frame of 16 ms, and more.
    static func level(_ seconds: Double) -> Int {
        switch seconds {
        case ..<0.0001: 0
        case ..<0.001: 1
        case ..<0.016: 2
        default: 3
        }
    }

    /// A short key that is the same for the same words (FNV-1a).
    static func key(_ words: String...) -> String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in words.joined(separator: "\u{0}").utf8 {
            hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
        }
        return String(hash, radix: 36)
    }
}
