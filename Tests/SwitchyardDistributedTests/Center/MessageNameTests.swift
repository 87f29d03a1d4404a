// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import Switchyard
import SwitchyardDistributed
import Testing

struct `Names of distributed messages` {
    struct Added: DistributedMessage {}
    private struct Removed: DistributedMessage {}
    struct Changed<Value: Codable & Sendable>: DistributedMessage {}

    @Test func `are those of the type and what it is in`() {
        #expect(Added.name.rawValue.hasSuffix(".Added"))
        #expect(Changed<Int>.name.rawValue.hasSuffix(".Changed<Swift.Int>"))
    }

    @Test func `are the same in each process, of private types too (rule 39)`() {
        struct Local: DistributedMessage {}
        for name in [Removed.name, Local.name].map(\.rawValue) {
            // An address, or the number of the file.
            #expect(!name.contains("("), "\(name)")
            #expect(!name.contains("$"), "\(name)")
        }
        #expect(Removed.name.rawValue.hasSuffix(".Removed"))
        #expect(Local.name.rawValue.hasSuffix(".Local"))
        #expect(Removed.name != Local.name)
    }
}
