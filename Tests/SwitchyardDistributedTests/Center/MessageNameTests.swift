// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import Switchyard
import SwitchyardDistributed
import TestSupport
import Testing

struct `Names of distributed messages` {
    struct Added: DistributedMessage {}
    private struct Removed: DistributedMessage {}
    struct Changed<Value: Codable & Sendable>: DistributedMessage {}

    @Test func `Message names are those of the type and its enclosing types`() {
        #expect(Added.name.rawValue.hasSuffix(".Added"))
        #expect(Changed<Int>.name.rawValue.hasSuffix(".Changed<Swift.Int>"))
    }

    @Test(.rule(39)) func `Message names are the same in each process, of private types too`() {
        struct Local: DistributedMessage {}
        for name in [Removed.name, Local.name].map(\.rawValue) {
            // A name with "(" or "$" would contain an address, or the number of a file.
            #expect(!name.contains("("), "\(name)")
            #expect(!name.contains("$"), "\(name)")
        }
        #expect(Removed.name.rawValue.hasSuffix(".Removed"))
        #expect(Local.name.rawValue.hasSuffix(".Local"))
        #expect(Removed.name != Local.name)
    }
}
