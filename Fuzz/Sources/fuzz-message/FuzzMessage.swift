// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import Fuzzing
import SwitchyardDistributed
import SwitchyardWire

/// A target for any bytes as the JSON of a message: they are read as Foundation reads them.
@main enum FuzzMessage {
    /// A message of each kind of member, none of which has to be there.
    private struct Sample: DistributedMessage, Equatable {
        var text: String?
        var number: Int?
        var narrow: Int8?
        var wide: UInt64?
        var share: Double?
        var half: Float?
        var isOn: Bool?
        var numbers: [Int]?
        var words: [String?]?
        var byName: [String: Double]?
        var byNumber: [Int: Bool]?
        var inner: [Inner]?
        var date: Date?
        var data: Data?
        var url: URL?
    }

    private struct Inner: Codable, Equatable, Sendable {
        enum Choice: Codable, Equatable, Sendable {
            case nothing
            case some(Int)
            case named(text: String)
        }

        var id: Int
        var choice: Choice?
        var inner: [Inner]?
    }

    static func main() {
        fuzz { start, count in
            FuzzMessage.test(Array(UnsafeRawBufferPointer(start: start, count: count)))
            return 0
        }
    }

    private static func test(_ bytes: [UInt8]) {
        let expected = try? JSONDecoder().decode(Sample.self, from: Data(bytes))
        let found = try? DistributedPayload(.json, bytes).message(Sample.self)
        precondition(found == expected, "\(found as Any), and by Foundation \(expected as Any)")
        guard let found else { return }
        do {
            let again = try DistributedPayload(message: found)
            let read = try JSONDecoder().decode(Sample.self, from: Data(again.bytes))
            precondition(read == found, "\(read) from what was written of \(found)")
        } catch {
            fatalError("what was decoded is not encoded: \(error)")
        }
    }
}
