// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import Logging

/// Writes entries without their time, so that two runs can be compared.
struct PlainLog: LogHandler {
    let process: String
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level = .info

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let values = (event.metadata ?? [:]).sorted { $0.key < $1.key }
            .map { " \($0.key)=\($0.value)" }.joined()
        let error = event.error.map { " error=\($0)" } ?? ""
        print("\(process): [\(event.level)] \(event.message)\(values)\(error)")
    }
}
