// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard

/// The sockets of a mesh: how its members find each other, connect, read and write. The mesh uses
/// unix sockets in a folder (``UnixNetwork``); tests have one in memory that does what they say.
///
/// Descriptors are real ones, to be polled. Calls that fail return the negated error number.
package protocol MeshNetwork: AnyObject, Sendable {
    /// A listener that nobody can find yet.
    func listen(as address: String) throws -> Int32
    /// Lets others find what listens as `address`: from now on, it accepts.
    func publish(_ address: String) throws
    /// Undoes ``publish(_:)``, also for a member that has died.
    func withdraw(_ address: String)
    /// Everybody who can be found.
    func addresses() throws -> [String]
    /// A connection to a member.
    func connect(to address: String) -> Int32
    /// The next connection that waits.
    func accept(from listener: Int32) -> Int32
    /// Who is at the other end; an error when it may not be.
    func process(behind descriptor: Int32) throws(MeshError) -> Int32
    func send(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int
    func receive(into bytes: UnsafeMutableRawBufferPointer, from descriptor: Int32) -> Int
}

/// Why a center does not reach other processes.
public struct MeshError: Error, Sendable, CustomStringConvertible {
    /// What is wrong, and what to do.
    public let description: String

    package init(_ description: String) { self.description = description }

    /// The system's words for a negated error number.
    package static func words(for error: Int32) -> String { String(cString: strerror(-error)) }
}
