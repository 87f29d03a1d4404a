// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import SwitchyardDistributed
internal import SwitchyardWire

/// The conversion between payloads and the data of events.
enum EventData {
    /// Calls `body` with the data of an event that carries `payload`.
    ///
    /// - Parameter scratch: a buffer for data that have to be written in another form.
    static func with<Result>(
        _ payload: DistributedPayload, _ scratch: inout ByteWriter,
        _ body: (EventKind, UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result {
        switch payload.kind {
        case .none: return try body(.none, UnsafeRawBufferPointer(start: nil, count: 0))
        case .json: return try payload.bytes.withUnsafeBytes { try body(.json, $0) }
        case .bytes: return try payload.bytes.withUnsafeBytes { try body(.bytes, $0) }
        case .propertyList:
            return try payload.bytes.withUnsafeBytes { list in
                scratch.removeAll(keepingCapacity: scratch.capacity < 1024 * 1024)
                let isExact = try PropertyListText.append(list, to: &scratch, sortsKeys: false)
                if !isExact { return try body(.propertyList, list) }
                return try scratch.withBytes { try body(.json, $0) }
            }
        }
    }

    /// Returns the payload that an event's data carry.
    static func payload(_ kind: EventKind, _ data: UnsafeRawBufferPointer) -> DistributedPayload {
        DistributedPayload(kind.payloadKind, Array(data))
    }
}
#endif
