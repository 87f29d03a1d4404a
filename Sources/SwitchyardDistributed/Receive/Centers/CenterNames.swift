// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardWire

/// The names of the notifications by which centers talk to each other. Observers never get them.
enum CenterNames {
    /// Heard by all centers: a question for latest values, that values have ended, or that it is time to ask again.
    static let questions = WireFormat.questionName
    /// Heard, with the name of a request as object, by those that answer it.
    static let requests = WireFormat.requestName
    /// Heard, with the id of a process as object, by that process: an answer, or a notification for one of its groups.
    static let answers = WireFormat.answerName
    /// Heard by nobody: the object says which notifications a group of the process shares out.
    static let groups = WireFormat.groupName

    private static let lengths = Set(WireFormat.memberNames.map(\.utf8.count))

    static func contain(_ name: String) -> Bool {
        // Most names are told apart by their lengths.
        lengths.contains(name.utf8.count) && WireFormat.memberNames.contains(name)
    }
}

extension DistributedInterest {
    /// Whether this is an interest of a center itself, and of none of its observers.
    package var isForCenters: Bool { name.map(CenterNames.contain) ?? false }

    /// Whether this is an interest in requests of a name.
    package var isForRequests: Bool { name == CenterNames.requests }

    /// Whether other processes have to know this interest before they can send what it is for.
    package var isAnnounced: Bool { isForRequests || isForGroups }

    /// Whether this tells of a group.
    package var isForGroups: Bool { name == CenterNames.groups }
}
