// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Switchyard
import SwitchyardTesting
import XCTest

/// Expectations in XCTest, on Linux and elsewhere.
final class XCTestUse: XCTestCase {
    func testExpectationsAndTheirFailure() async throws {
        let center = Switchyard.NotificationCenter()
        let notification = try await center.expect(.happened) {
            center.post(name: .happened, object: "object")
        }
        XCTAssertEqual(notification.object as? String, "object")
        let failure = await failure {
            try await center.expect(ConverterAdded.self, within: .zero) {}
        }
        XCTAssertEqual(failure?.code, .timedOut)
    }

    func testLeaks() async throws {
        let center = Switchyard.NotificationCenter()
        try await expectNoLeaks(in: center) { center.observe(.happened) { _ in }.cancel() }
    }

    func testDefaultCenterOfASynchronousTest() {
        let center = Switchyard.NotificationCenter()
        let recorder = NotificationRecorder()
        recorder.record(.happened, from: center)
        NotificationCenter.withDefault(center) {
            NotificationCenter.default.post(name: .happened, object: nil)
        }
        XCTAssertEqual(recorder.entries.count, 1)
    }
}
