// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
@_spi(Engine) internal import SwitchyardCore
internal import SwitchyardWire

/// The notifications by which centers ask each other for latest values. Observers never get them.
///
/// To transports, these are ordinary notifications with property lists as payloads.
/// `docs/wire-protocol.md` lists them.
enum LatestFrame {
    /// The most bytes of an answer beside its name, object and payload.
    static let longestKeys = 1_024
    /// The most bytes of a process's name: that of an asker becomes the object of answers, and that
    /// of an end is kept.
    private static let longestProcess = 64

    /// Whether a value can have this name and object.
    private static func canBe(_ name: String, _ object: String?) -> Bool {
        !CenterNames.contain(name) && name.utf8.count <= WireFormat.longestName
            && object?.utf8.count ?? 0 <= WireFormat.longestObject
    }

    /// A question for the latest values of a name and object; nil stands for any.
    struct Question {
        let asker: String
        let interest: DistributedInterest

        init(by asker: String, _ interest: DistributedInterest) {
            self.asker = asker
            self.interest = interest
        }

        init?(_ info: [AnyHashable: Any]) {
            let (name, object) = (info["name"] as? String, info["object"] as? String)
            guard let asker = info["asker"] as? String,
                asker.utf8.count <= LatestFrame.longestProcess,
                LatestFrame.canBe(name ?? "", object)
            else { return nil }
            self.asker = asker
            interest = DistributedInterest(name: name, object: object)
        }

        var info: [AnyHashable: Any] {
            var info: [AnyHashable: Any] = ["asker": asker]
            info["name"] = interest.name
            info["object"] = interest.object
            return info
        }
    }

    /// Says that values of a name and object from before a stamp are no longer the latest.
    struct End {
        let name: String
        let object: String?
        let time: UInt64
        /// The process of the stamp; nil for the one that says so.
        let process: String?

        init(_ value: SharedLatestValue, by process: String) {
            (name, object, time) = (value.topic.name, value.topic.object, value.stamp.time)
            self.process = value.stamp.process == process ? nil : value.stamp.process
        }

        init?(_ info: [AnyHashable: Any]) {
            guard let time = LatestFrame.time(info["ended"]), let name = info["name"] as? String,
                let object = LatestFrame.text(info["object"]), LatestFrame.canBe(name, object),
                let process = LatestFrame.text(info["process"]),
                process?.utf8.count ?? 0 <= LatestFrame.longestProcess
            else { return nil }
            self.name = name
            self.object = object
            self.time = time
            self.process = process
        }

        var info: [AnyHashable: Any] {
            var info: [AnyHashable: Any] = ["name": name, "ended": Int(clamping: time)]
            info["object"] = object
            info["process"] = process
            return info
        }
    }

    /// The latest value of a name and object.
    struct Answer {
        let name: String
        let object: String?
        let time: UInt64
        let payload: DistributedPayload

        init?(_ value: SharedLatestValue) {
            guard let payload = value.ownPayload else { return nil }
            (name, object, time) = (value.topic.name, value.topic.object, value.stamp.time)
            self.payload = payload
        }

        init?(_ info: [AnyHashable: Any]) {
            guard let time = LatestFrame.time(info["time"]), let name = info["name"] as? String,
                let number = info["kind"] as? Int,
                let kind = UInt8(exactly: number).flatMap({ PayloadKind(rawValue: $0) }),
                let data = info["data"] as? Data, let object = LatestFrame.text(info["object"]),
                LatestFrame.canBe(name, object)
            else { return nil }
            self.name = name
            self.object = object
            self.time = time
            payload = DistributedPayload(kind, Array(data))
        }

        var info: [AnyHashable: Any] {
            var info: [AnyHashable: Any] = [
                "name": name, "time": Int(clamping: time), "kind": Int(payload.kind.rawValue),
                "data": Data(payload.bytes),
            ]
            info["object"] = object
            return info
        }
    }

    /// Says that a process that knows values could not be reached for a while, so that others ask
    /// again.
    static var again: [AnyHashable: Any] { ["again": true] }

    /// Whether a frame with the name of questions asks, or has others ask. If not, it says that
    /// values have ended, which others have to learn.
    static func isQuestion(_ frame: borrowing ByteWriter) -> Bool {
        let info = frame.withBytes { bytes in
            let body = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(WireFormat.lengthBytes))
            return (try? NotificationFrame(body)).flatMap { frame in
                try? DistributedPayload(frame.kind, Array(frame.payload)).userInfo
            }
        }
        return info?["ended"] == nil
    }

    static func isAgain(_ info: [AnyHashable: Any]) -> Bool { info["again"] as? Bool == true }

    /// A text that may be missing; nil if something else is there.
    private static func text(_ value: Any?) -> String?? {
        guard let value else { return .some(nil) }
        return (value as? String).map { .some($0) }
    }

    private static func time(_ value: Any?) -> UInt64? {
        (value as? Int).flatMap { UInt64(exactly: $0) }
    }
}
