// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import SwitchyardCore

/// Lets tools of the same user look into this process while it runs: `switchyard inspect`,
/// `switchyard top`, `switchyard explain` and `switchyard trace`.
///
/// ```swift
/// import SwitchyardInspection
///
/// Inspection.listen()
/// ```
/// While nobody looks, no instruction more is executed for a notification, and no thread runs. A
/// tool sees names, the origins of registrations, and counts; never the contents of a notification.
public enum Inspection {
    private static let socket = Guarded<InspectionSocket?>(nil)

    /// Listens for tools, on a socket that only processes of this user can connect to.
    ///
    /// The environment variable `SWITCHYARD_INSPECT` decides: with `1` this listens, with `0` it
    /// does not, and with `wait` it listens and returns when the first tool has connected. Without
    /// the variable, it listens in debug builds alone: in a release build an open socket would give
    /// the user's other programs more than the system does.
    ///
    /// With `wait`, the first tool of the process counts, however short it connects: a call after
    /// that returns at once. Other calls after the first change nothing, unless the socket was
    /// removed from its folder, or the folder was: it is made anew then. A folder or socket that
    /// can't be made is said on standard error, and the program goes on.
    ///
    /// While a tool asks, its thread, `sw-inspect`, keeps the registrations that it reads. A
    /// registration that ends at that moment is let go there, and with it the objects that nobody
    /// else keeps: they have to be ready to end on any thread, as those of a handler that a post
    /// just calls.
    ///
    /// A child that is forked from a process that listens, or has listened, can't be looked at: the
    /// socket and the tools are its parent's, and this returns false there.
    ///
    /// - Returns: Whether tools can connect.
    @discardableResult
    public static func listen() -> Bool {
        let choice = ProcessInfo.processInfo.environment["SWITCHYARD_INSPECT"]
        guard isAskedFor(choice) else { return false }
        guard open() else { return false }
        if choice == "wait" { Watcher.waitForFirst() }
        return true
    }

    /// Whether a tool looks at this process at the moment.
    public static var isWatched: Bool { Watcher.count > 0 }

    /// Closes the socket. Tools that are connected go on until they end. In a forked child, the
    /// parent's socket stays.
    public static func stopListening() {
        let own = socket.withLock { socket -> InspectionSocket? in
            guard let own = socket, own.isOwn else { return nil }
            socket = nil
            return own
        }
        own?.close()
    }

    private static func isAskedFor(_ choice: String?) -> Bool {
        switch choice {
        case "1", "wait": return true
        case "0": return false
        default:
            #if DEBUG
            return true
            #else
            return false
            #endif
        }
    }

    private static func open() -> Bool {
        socket.withLock { socket in
            // A parent's socket is kept.
            if !InspectionSocket.canBeMade { return false }
            if let old = socket {
                if old.isInPlace { return true }
                old.close()
                socket = nil
            }
            do {
                socket = try InspectionSocket()
                return true
            } catch {
                let line = "switchyard: this process can't be inspected: \(error)\n"
                FileHandle.standardError.write(Data(line.utf8))
                return false
            }
        }
    }
}
