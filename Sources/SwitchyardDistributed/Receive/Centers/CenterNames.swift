// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardWire

/// The names of the notifications by which centers talk to each other. Observers never get them.
enum CenterNames {
    /// For all centers: a notification that asks for latest values, says that values have ended, or
    /// says that it is time to ask again.
    static let questions = WireFormat.questionName
    /// For the centers that answer a request: the request, with its name as the object.
    static let requests = WireFormat.requestName
    /// For one process, with its id as the object: an answer, or a notification for one of its
    /// groups.
    static let answers = WireFormat.answerName
    /// For no observer and never posted: an interest whose object says which notifications a group
    /// of the process shares out.
    static let groups = WireFormat.groupName

    @inline(__always)
    static func contain(_ name: String) -> Bool {
        // All of them begin with the same word. Most others are told apart by their first byte.
        name.utf8.first == first && WireFormat.memberNames.contains(name)
    }

    private static let first = UInt8(ascii: "s")
}

extension DistributedInterest {
    /// Whether this is an interest of a center itself, and of none of its observers.
    package var isForCenters: Bool { name.map(CenterNames.contain) ?? false }

    /// Whether this is an interest in requests of a name.
    package var isForRequests: Bool { name == CenterNames.requests }

    /// Whether other processes have to know this interest before they can send the requests or jobs
    /// that it asks for.
    package var isAnnounced: Bool { isForRequests || isForGroups }

    /// Whether this tells of a group.
    package var isForGroups: Bool { name == CenterNames.groups }
}
