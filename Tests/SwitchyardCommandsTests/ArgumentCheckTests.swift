// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import Testing

@testable import SwitchyardConsole

/// The check of the arguments before they are parsed.
@Suite struct ArgumentCheckTests {
    private func problem(_ arguments: [UInt8]...) -> ArgumentCheck.Problem? {
        ArgumentCheck.problem(in: arguments)
    }

    @Test func `Arguments that can't be seen are an error, not none`() throws {
        let found = try #require(problem())
        #expect(found.status == EXIT_FAILURE)
        #expect(found.text.contains("/proc"))
    }

    @Test func `An argument that is not UTF-8 is a usage error that shows it`() throws {
        let name = Array("Caf".utf8) + [0xE9]
        let found = try #require(problem(Array("switchyard".utf8), Array("post".utf8), name))
        #expect(found.status == 64)
        #expect(found.text.hasPrefix(#"argument 2, 'Caf\xe9', is not UTF-8"#))
    }

    @Test func `Other arguments pass the check, whatever the program is called`() {
        #expect(problem([0xFF]) == nil)
        #expect(problem([0xFF], Array("Größe".utf8), []) == nil)
    }
}
