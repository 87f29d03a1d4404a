// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwitchyardDistributed

extension Notification.Name {
    static let here = Notification.Name("Here")
    static let sample = Notification.Name("Sample")
    static let other = Notification.Name("Other")
    static let enough = Notification.Name("Enough")
    static let goodbye = Notification.Name("Goodbye")
}

struct Added: DistributedMessage {
    static let name = Notification.Name("Added")
    var format: String
    var count: Int
}

/// Posts a sample of each kind. Posts that no peer observes are not sent, which the numbers show.
func postSamples() throws {
    let info: [String: Any] = [
        "yes": true, "no": false, "int": -5, "big": UInt.max, "int8": Int8.min,
        "uint32": UInt32.max, "double": 2.5, "float": Float(0.5), "text": "Größe 🚉",
        "data": Data([0xca, 0xfe]), "date": Date(timeIntervalSinceReferenceDate: 86_400.25),
        "array": [1, "two", [3.0]] as [Any], "empty": [String: Any](),
    ]
    center.post(name: .sample, object: "text", userInfo: info)
    center.post(name: .other, object: nil)
    try center.post(Added(format: "RTF", count: 3))
    try center.post(name: .sample, payload: DistributedPayload(bytes: [0xca, 0xfe]))
    center.postNotificationName(.sample, object: "", deliverImmediately: true)
    center.post(name: .enough, object: nil)
}

func answer() -> [ObservationToken] {
    [
        center.observe(.here) { _ in try postSamples() },
        center.observe(.goodbye) { _ in exit(0) },
    ]
}
