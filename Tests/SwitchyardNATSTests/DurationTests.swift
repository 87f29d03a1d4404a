// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
import TestSupport
import Testing

@testable import SwitchyardNATS

/// Times as libnats and JetStream take them.
@Suite("Times for the server") struct DurationTests {
    @Test(.rule(40))
    func `A stream's age is what the options say, also beyond the milliseconds of poll`() {
        #expect(Duration.seconds(30 * 86_400).wholeNanoseconds == 2_592_000_000_000_000)
        #expect(NATSOptions().streamAge.wholeNanoseconds == 2_592_000_000_000_000)
        #expect(Duration.milliseconds(1500).wholeNanoseconds == 1_500_000_000)
        #expect(Duration.seconds(Int64.max).wholeNanoseconds == .max)
        #expect(Duration.seconds(Int64.min).wholeNanoseconds == 1)
        #expect(Duration.zero.wholeNanoseconds == 1)
        #expect(Duration.seconds(30 * 86_400).milliseconds == Int64(Int32.max))
    }
}
#endif
