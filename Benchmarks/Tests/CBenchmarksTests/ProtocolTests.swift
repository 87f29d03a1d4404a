// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if os(Linux)
internal import CBenchmarks
internal import Testing

struct ProtocolTests {
    enum Wire: CaseIterable {
        case stream
        case dbus
        case redis
        case nats

        var value: benchmarks_protocol {
            switch self {
            case .stream: BENCHMARKS_STREAM
            case .dbus: BENCHMARKS_DBUS
            case .redis: BENCHMARKS_REDIS
            case .nats: BENCHMARKS_NATS
            }
        }
    }

    /// Every byte that a protocol gives a meaning, among others.
    private let payload = (0..<Int(BENCHMARKS_PAYLOAD)).map { CChar(truncatingIfNeeded: $0 * 7) }

    private func delivered(_ wire: Wire) -> [CChar] {
        var bytes = [CChar](repeating: 0, count: 512)
        let length = benchmarks_link_delivered(wire.value, payload, &bytes)
        return Array(bytes.prefix(length))
    }

    /// The length of the first message, and its payload.
    private func parse(_ wire: Wire, _ bytes: [CChar]) -> (Int, [CChar]?) {
        bytes.withUnsafeBufferPointer { buffer in
            var found: UnsafePointer<CChar>?
            let length = benchmarks_link_parse(wire.value, buffer.baseAddress, buffer.count, &found)
            let payload = found.map {
                Array(UnsafeBufferPointer(start: $0, count: Int(BENCHMARKS_PAYLOAD)))
            }
            return (length, payload)
        }
    }

    @Test(arguments: Wire.allCases)
    func `A message is read when its last byte is there, and no byte before`(
        wire: Wire
    ) {
        let message = delivered(wire)
        for length in 0..<message.count {
            let (used, found) = parse(wire, Array(message.prefix(length)))
            #expect(used == 0, "of \(length) bytes")
            #expect(found == nil)
        }
        let (used, found) = parse(wire, message)
        #expect(used == message.count)
        #expect(found == payload)
    }

    @Test(arguments: Wire.allCases)
    func `Bytes behind a message are left for the next look`(wire: Wire) {
        let message = delivered(wire)
        let (used, found) = parse(wire, message + message.prefix(message.count - 1))
        #expect(used == message.count)
        #expect(found == payload)
    }

    @Test func `A line that is no message has a length and no payload`() {
        let (used, found) = parse(.nats, "PING\r\nMSG ".utf8.map { CChar($0) })
        #expect(used == 6)
        #expect(found == nil)
    }
}
#endif
