// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import SwitchyardWire

/// Notifications between centers that choose one member of a group across processes. Observers
/// never get them.
///
/// To transports, these are ordinary notifications with property lists as payloads.
/// `docs/wire-protocol.md` lists them.
enum GroupFrame {
    /// A notification for a member of a group in the process that gets it.
    struct Job: Sendable {
        /// The number of the job in the process that gives it; 0 if no answer is expected.
        var number: UInt64
        let group: String
        let name: String
        let object: String?
        let payload: DistributedPayload
        let isImmediate: Bool

        /// The bytes of its texts and its payload.
        var bytes: Int {
            group.utf8.count + name.utf8.count + (object?.utf8.count ?? 0) + payload.bytes.count
        }

        init(
            _ number: UInt64, for group: String, _ name: String, _ object: String?,
            _ payload: DistributedPayload, isImmediate: Bool
        ) {
            self.number = number
            self.group = group
            self.name = name
            self.object = object
            self.payload = payload
            self.isImmediate = isImmediate
        }

        init?(_ info: [AnyHashable: Any]) {
            guard let number = GroupFrame.number(info["job"]), let group = info["group"] as? String,
                let name = info["name"] as? String, name.utf8.count <= WireFormat.longestName,
                !CenterNames.contain(name),
                info["object"] == nil || info["object"] is String,
                (info["object"] as? String)?.utf8.count ?? 0 <= WireFormat.longestObject,
                let kind = (info["kind"] as? Int).flatMap({ UInt8(exactly: $0) })
                    .flatMap({ PayloadKind(rawValue: $0) }),
                let data = info["data"] as? Data
            else { return nil }
            self.init(
                number, for: group, name, info["object"] as? String,
                DistributedPayload(kind, Array(data)),
                isImmediate: info["isImmediate"] as? Bool == true)
        }

        var info: [AnyHashable: Any] {
            var info: [AnyHashable: Any] = [
                "job": Int(clamping: number), "group": group, "name": name,
                "kind": Int(payload.kind.rawValue), "data": Data(payload.bytes),
            ]
            info["object"] = object
            if isImmediate { info["isImmediate"] = true }
            return info
        }
    }

    /// The result of a job.
    enum Result: String, Sendable {
        /// A member has heard it, or lost it to its bound.
        case handled
        /// The conditions of the members do not let it in.
        case notWanted
        /// There is no member any more.
        case noMember
    }

    /// Says what became of a job.
    struct Outcome: Sendable {
        let number: UInt64
        let result: Result
        /// The number of deliveries that the group's members have to make.
        let load: Int

        init(_ number: UInt64, _ result: Result, load: Int) {
            self.number = number
            self.result = result
            self.load = load
        }

        init?(_ info: [AnyHashable: Any]) {
            guard let number = GroupFrame.number(info["outcome"]),
                let result = (info["result"] as? String).flatMap(Result.init(rawValue:)),
                let load = info["load"] as? Int
            else { return nil }
            self.init(number, result, load: min(max(0, load), 1_000_000))
        }

        var info: [AnyHashable: Any] {
            ["outcome": Int(clamping: number), "result": result.rawValue, "load": load]
        }
    }

    private static func number(_ value: Any?) -> UInt64? {
        (value as? Int).flatMap { UInt64(exactly: $0) }
    }
}
