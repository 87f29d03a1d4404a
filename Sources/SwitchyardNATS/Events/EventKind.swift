// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import SwitchyardDistributed
internal import SwitchyardWire

/// The form of an event's data.
enum EventKind: UInt8, CaseIterable {
    /// No data.
    case none = 0x6E  // n
    /// A JSON object: a message's, or `userInfo`.
    case json = 0x6A  // j
    /// Bytes whose meaning only the two ends know.
    case bytes = 0x62  // b
    /// `userInfo` with values that JSON does not have, such as data or a date.
    case propertyList = 0x70  // p

    /// The value of `ce-datacontenttype`; nil where there are no data.
    var contentType: String? {
        switch self {
        case .none: nil
        case .json: "application/json"
        case .bytes: "application/octet-stream"
        case .propertyList: "application/vnd.switchyard.propertylist"
        }
    }

    /// Creates the kind of an event that another program posted, with or without a content type.
    init(contentType: String?, _ data: UnsafeRawBufferPointer) {
        let type = contentType?.split(separator: ";").first?.lowercased()
        switch type {
        case _ where data.isEmpty: self = .none
        case Self.propertyList.contentType: self = .propertyList
        case let type? where type == "application/json" || type.hasSuffix("+json"): self = .json
        // CloudEvents without a type usually carry JSON, and so do simple publishers.
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
