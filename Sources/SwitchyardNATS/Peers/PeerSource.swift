// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import Foundation
internal import SwitchyardDistributed

/// A process as the source of events: `//host/name/number#id`.
enum PeerSource {
    static func text(_ peer: DistributedPeer, host: String) -> String {
        "//\(escape(host))/\(escape(peer.processName))/\(peer.processIdentifier)#\(peer.id)"
    }

    /// Returns the process that a source names. For another program's source, the name is the
    /// source itself.
    ///
    /// - Parameter id: the process's id in the event's number, if there is one.
    static func peer(_ source: String?, id: String?) -> DistributedPeer {
        guard let source else {
            return DistributedPeer(id: id ?? "", processIdentifier: 0, processName: "?")
        }
        let parts = source.dropFirst(2).split(separator: "/", omittingEmptySubsequences: false)
        let ends = parts.last?.split(separator: "#")
        if source.hasPrefix("//"), parts.count == 3, let ends, ends.count == 2,
            let process = Int32(ends[0]), let name = SubjectMap.unescape(parts[1]),
            let host = SubjectMap.unescape(parts[0])
        {
            return DistributedPeer(
                id: id ?? String(ends[1]), processIdentifier: process,
                processName: host == ownHost ? name : "\(name)@\(host)")
        }
        return DistributedPeer(id: id ?? source, processIdentifier: 0, processName: source)
    }

    static let ownHost = ProcessInfo.processInfo.hostName

    /// Escapes a text as in URLs, including the separators `/` and `#`.
    private static func escape(_ text: String) -> String {
        HeaderText.escape(text).replacing("/", with: "%2F").replacing("#", with: "%23")
    }
}
#endif
