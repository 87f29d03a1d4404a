// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import BenchmarkHarness
internal import CBenchmarks

/// The messages that go from one process to others.
struct ProcessesQuestion {
    /// The payload of a message; 100 bytes, or about as much.
    enum Payload {
        /// Bytes, which nobody decodes.
        case opaque
        /// A dictionary with three keys; every receiver reads all three.
        case userInfo
        /// A value of a `Codable` type, which every receiver decodes.
        case codable
        /// A request with its answer, both `Codable`: for round trips alone.
        case request
        /// A `Codable` message to a group of receivers, one of which gets it.
        case job
    }

    enum Kind {
        /// A message and its answer.
        case roundTrip(Placement)
        /// The age of a message when it is received; one is posted each millisecond.
        case oneWay
        /// As many deliveries as possible, to so many receivers each.
        case deliveries(receivers: Int)
        /// The time until three receivers have 600,000 messages; a fourth runs like them, or is
        /// stopped.
        case beside(isStopped: Bool)
    }

    let payload: Payload
    let kind: Kind
}

/// The processors on which the processes of a subject run.
enum Placement: Int {
    /// The processors that the system chooses.
    case free
    /// All processes run on one processor.
    case one
    /// The poster runs on one processor, the receiver on another, and a server between them on
    /// either.
    case two
}

/// A way from process to process.
protocol ProcessesSubject: Subject where Question == ProcessesQuestion {
    /// The transport of the processes; nil when a message can't carry the payload.
    func transport(for payload: ProcessesQuestion.Payload) -> Transport?
    /// The server between the processes; nil for none.
    var server: ServerProgram? { get }
    /// Whether other processes get messages while one is stopped.
    var canOutlastStopped: Bool { get }
}

extension ProcessesSubject {
    var server: ServerProgram? { nil }
    var canOutlastStopped: Bool { true }

    /// A note for the reader when this is not measured; nil when it is.
    var missing: String? {
        guard let server, server.path == nil else { return nil }
        return "\(name) is not measured, because there is no \(server.name): "
            + "apt-get install \(server.package)"
    }

    func workload(for question: ProcessesQuestion) -> Workload? {
        guard benchmarks_measures_processes(), missing == nil,
            let transport = transport(for: question.payload)
        else { return nil }
        func fleet(receivers: Int, _ placement: Placement) -> Fleet {
            Fleet(name, transport, server, receivers: receivers, placement)
        }
        switch question.kind {
        case .roundTrip(let placement):
            return fleet(receivers: 1, placement).workload(.calibrated) { $0.roundTrip($1) }
        case .oneWay:
            return fleet(receivers: 1, .two).workload(.atLeast(300)) { $0.oneWay($1) }
        case .deliveries(let receivers):
            return fleet(receivers: receivers, .free).workload(.atLeast(200_000)) {
                $0.deliveries($1)
            }
        case .beside(let isStopped):
            guard canOutlastStopped else { return nil }
            return fleet(receivers: 4, .free).workload(.exactly(600_000)) {
                $0.othersComplete($1, isStopped: isStopped)
            }
        }
    }
}
