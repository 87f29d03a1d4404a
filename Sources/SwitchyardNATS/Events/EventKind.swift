// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import SwitchyardDistributed

/// What the data of an event are.
enum EventKind: UInt8, CaseIterable {
    /// There are none.
    case none = 0x6E  // n
    /// A JSON object: a message's, or `userInfo`.
    case json = 0x6A  // j
    /// Bytes that mean something to the two ends.
    case bytes = 0x62  // b
    /// `userInfo` with something that JSON has not: data, a date.
    case propertyList = 0x70  // p

    /// As in `ce-datacontenttype`; nil where there are no data.
    var contentType: String? {
        switch self {
        case .none: nil
        case .json: "application/json"
        case .bytes: "application/octet-stream"
        case .propertyList: "application/vnd.switchyard.propertylist"
        }
    }

    /// What somebody's event carries, who says so in a header, or does not.
    init(contentType: String?, _ data: UnsafeRawBufferPointer) {
        let type = contentType?.split(separator: ";").first?.lowercased()
        switch type {
        case _ where data.isEmpty: self = .none
        case Self.propertyList.contentType: self = .propertyList
        case let type? where type == "application/json" || type.hasSuffix("+json"): self = .json
        // CloudEvents without a type carry JSON as a rule; so do simple publishers.
        case nil: self = data.first == UInt8(ascii: "{") ? .json : .bytes
        default: self = .bytes
        }
    }

    var payloadKind: PayloadKind {
        switch self {
        case .none: .none
        case .json: .json
        case .bytes: .bytes
        case .propertyList: .propertyList
        }
    }
}
#endif
