// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

public import Foundation
public import SwitchyardCore

// Foundation shows the `localizedDescription` of an error that is no `LocalizedError` as "The
// operation could not be completed", which says neither what is wrong nor what to do.

extension SwitchyardError where Self: LocalizedError {
    /// The message for people, as `description` has it.
    public var errorDescription: String? { description }
}

extension PostWaitError: LocalizedError {}

extension RequestError: LocalizedError {}

extension PollableMailboxError: LocalizedError {}
