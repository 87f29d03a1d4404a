// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardWire
internal import Synchronization

/// The connection on which another member posts to this one.
final class Inlet: MeshConnection, @unchecked Sendable {
    // Sendable: as for the superclass. The variables below belong to the reading thread, unless
    // they name another guard.

    /// The sequence number that the next notification should have. Written by the reading thread
    /// alone.
    let expected = Atomic<UInt64>(1)
    /// The number in the last SYNCED frame. Guard: the mesh's state.
    var synced: UInt64 = 0
    /// Whether the poster's greeting has come. Guard: the mesh's state.
    var isGreeted = false
    /// Whether the poster has a newer connection, and its count of what came on this one was taken.
    /// Guard: the mesh's state.
    var isSuperseded = false
    /// The poster's number of the connection; nil if it has not come. Guard: the mesh's state.
    var number: UInt64?
    /// The number of notifications that are missing. Guard: the mesh's state.
    var missed: UInt64 = 0
    /// The poster's questions for the status of this member. Guard: the mesh's state.
    var statusQuestions = StatusQuestions()
    /// Whether the poster's greeting has come and was accepted.
    var isWelcome = false
    /// Whether the poster has said that it chooses the members of groups.
    var chooses = false
    /// Whether the poster has announced a FAREWELL. If it has, an end without one is a gap of
    /// unknown size.
    var hasPromise = false
    /// The largest number in a FAREWELL; nil if none has come.
    var farewell: UInt64?
    /// The message that each frame is lent to, once the poster is welcome.
    var message = ReceivedMessage.none
    /// The context of the next notification; nil if it has none.
    var context: ContextFrame?
    /// Whether there is a ``context``: to ask for that one itself would count references.
    var hasContext = false
    /// The connection's number in traces; nil until it is first asked for.
    var traceConnection: UInt32?

    /// The number of notifications that came. Under the mesh's lock.
    var received: UInt64 { expected.load(ordering: .relaxed) &- 1 &- missed }
}
