// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Switchyard

/// Finds words in pages, on a thread of its own. A page takes longer than the next edit takes to come.
@MainActor
final class SearchIndex {
    private let thread = DeliveryThread(name: "index")
    private let observation: ObservationToken

    init(center: NotificationCenter, isFixed: Bool) {
        // The fault: there is room for eight edits, and when the ninth comes, the only edit of a page can be
        // lost. The latest edit of each page is enough.
        let bound: DeliveryBound =
            isFixed ? .keepLatest(per: \PageEdited.page) : .dropOldest(above: 8)
        observation = center.observe(
            PageEdited.self, on: .thread(thread), options: .bounded(bound)
        ) { _ in
            // The fault: it reads the whole page again, where the edited paragraph would do.
            Work.takes(milliseconds: isFixed ? 10 : 80)
        }
    }
}
