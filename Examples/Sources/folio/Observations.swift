// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Switchyard

/// Observations that last as long as the program.
@MainActor
final class Observations {
    private var tokens: [ObservationToken] = []

    func keep(_ token: ObservationToken) { tokens.append(token) }
}
