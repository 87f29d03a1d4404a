// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if Web
/// A text of 128 random bits that lets somebody in.
struct Secret: Sendable {
    /// 32 hexadecimal digits.
    let text: String

    /// Makes one from the system's source of random numbers.
    init() {
        var source = SystemRandomNumberGenerator()
        let digits = [source.next(), source.next()].map { (word: UInt64) in
            let text = String(word, radix: 16)
            return String(repeating: "0", count: 16 - text.count) + text
        }
        text = digits.joined()
    }

    /// Whether a text is the secret. Takes the same time for every text of the same length: the
    /// time of the comparison does not tell how much of the text was right.
    func isEqual(to other: some Collection<UInt8>) -> Bool {
        let own = Array(text.utf8)
        guard other.count == own.count else { return false }
        return zip(own, other).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
#endif
