// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import BenchmarkHarness

extension Table {
    /// From one thread to another. Every place has its own peers, and its own limit.
    static var crossing: Table {
        Table(
            name: "crossing", title: "To another thread",
            questions: CrossingQuestion.Place.allCases.flatMap(row),
            subjects: [
                SwitchyardCrossing(), SwitchyardNamedCrossing(), FoundationQueueForm(),
                OperationCrossing(), RunLoopCrossing(), StreamCrossing(), DispatchCrossing(),
                EventLoopCrossing(), BatchCrossing(),
            ])
    }

    private static func row(_ place: CrossingQuestion.Place) -> [Asked<CrossingQuestion>] {
        let columns: [(String, CrossingQuestion.Kind, String, Goal)] = [
            ("burst, 1 producer", .burst(producers: 1), "ns", .ofLimit(1.2)),
            ("burst, 2 producers", .burst(producers: 2), "ns", .ofLimit(1.2)),
            (
                "round trip, free", .roundTrip(isOnOneProcessor: false), "µs p50",
                .ofLimit(1.15)
            ),
            (
                "round trip, one CPU", .roundTrip(isOnOneProcessor: true), "µs p50",
                .ofLimit(place == .actor ? 1.3 : 1.15)
            ),
        ]
        return columns.map { column, kind, unit, goal in
            Asked(
                CrossingQuestion(place: place, kind: kind), row: name(place), column: column,
                unit: unit, goal: goal, isInPicture: column == "burst, 1 producer")
        }
    }

    private static func name(_ place: CrossingQuestion.Place) -> String {
        switch place {
        case .runLoop: "to a thread's run loop"
        case .dispatchQueue: "to a dispatch queue"
        case .operationQueue: "to an operation queue"
        case .actor: "to an actor or task"
        case .eventLoop: "to an event loop"
        case .bareThread: "to a bare thread"
        }
    }
}
