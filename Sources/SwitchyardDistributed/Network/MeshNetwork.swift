// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard

/// The sockets of a mesh: how its members find each other, connect, read and write. The mesh uses
/// unix sockets in a folder (``UnixNetwork``); tests use a network in memory that they control.
///
/// Descriptors are real ones, so that they can be polled. Calls that fail return the negated error
/// number.
package protocol MeshNetwork: AnyObject, Sendable {
    /// Returns a listener that nobody can find yet.
    func listen(as address: String) throws -> Int32
    /// Lets others find the listener at `address`; it accepts connections from now on.
    func publish(_ address: String) throws
    /// Undoes ``publish(_:)``, also for a member that has died.
    func withdraw(_ address: String)
    /// Returns the addresses of all members that can be found.
    func addresses() throws -> [String]
    /// Connects to a member.
    func connect(to address: String) -> Int32
    /// Returns whether nobody listens at `address` any more.
    func hasGone(_ address: String) -> Bool
    /// Accepts the next connection that waits.
    func accept(from listener: Int32) -> Int32
    /// Returns the process at the other end. Throws if that process may not connect.
    func process(behind descriptor: Int32) throws(DistributedCenterError) -> Int32
    func send(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int
    func receive(into bytes: UnsafeMutableRawBufferPointer, from descriptor: Int32) -> Int

    /// Returns the process that listens at `address`; 0 if the system does not know it.
    func process(listeningAs address: String) -> Int32
    /// The folder, or its like, where members find each other, as text for people.
    var location: String { get }
    /// Returns whether others find this member, which was published under `address`.
    func isFound(as address: String) -> Bool
    /// Makes the folder, or its like, where members find each other anew, if it was removed.
    func returnToFolder() throws
    /// Makes a watch readable when others may not find this member any more.
    ///
    /// - Returns: Whether the system can watch that.
    func watch(_ address: String, with watch: Int32) -> Bool
}

// A network in memory is never removed.
extension MeshNetwork {
    package func hasGone(_ address: String) -> Bool { false }
    package func process(listeningAs address: String) -> Int32 { 0 }
    package var location: String { "memory" }
    package func isFound(as address: String) -> Bool { true }
    package func returnToFolder() {}
    package func watch(_ address: String, with watch: Int32) -> Bool { true }
}
