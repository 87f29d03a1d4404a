// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Switchyard

/// Two threads that make the thumbnails of pages.
@MainActor
final class ThumbnailPool {
    private nonisolated static let size = 2

    private var observations: [ObservationToken] = []

    init(center: NotificationCenter) {
        for worker in 0..<Self.size {
            let thread = DeliveryThread(name: "thumbnails \(worker + 1)")
            let observation = center.observe(PageEdited.self, on: .thread(thread)) { edited in
                // Each worker has pages of its own.
                guard edited.page % Self.size == worker else { return }
                Work.takes(milliseconds: 5)
                center.post(ThumbnailReady(page: edited.page))
            }
            observations.append(observation)
        }
    }
}
