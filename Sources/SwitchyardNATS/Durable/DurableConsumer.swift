// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import CNATS
internal import Foundation
internal import SwitchyardDistributed

/// A consumer of the domain's stream: the place up to which somebody has handled what is kept.
struct DurableConsumer: Sendable {
    private let stream: String
    private let name: String
    private let pattern: String
    /// Where the server sends what it kept: always the same, so that who comes back listens there.
    private let place: String
    /// After so long without a word, the server delivers again.
    let handlingTime: Duration

    init(
        _ options: NATSOptions, name: String, interest: DistributedInterest,
        _ subjects: SubjectMap
    ) throws {
        let domain = options.domain
        let token = SubjectMap.token(name)
        guard !name.isEmpty, token == name, !name.contains("/"), !name.contains("\\") else {
            throw NATSError(
                "the durable observer's name is \"\(name)\": it needs one without spaces, dots, slashes, "
                    + "and the characters * > %")
        }
        self.name = name
        handlingTime = options.durableHandlingTime
        stream = Self.stream(of: domain)
        pattern = subjects.pattern(for: interest)
        place = "_SWY.durable." + SubjectMap.token(domain) + "." + name
    }

    static func stream(of domain: String) -> String { "SWITCHYARD-" + SubjectMap.token(domain) }

    /// Makes the stream, if it is not there. It keeps what some consumer has not handled, and that alone.
    static func makeStream(
        _ context: OpaquePointer, domain: String, _ subjects: SubjectMap, age: Duration
    ) throws {
        let name = stream(of: domain)
        var information: UnsafeMutablePointer<jsStreamInfo>?
        let found = js_GetStreamInfo(&information, context, name, nil, nil)
        if found == NATS_OK { return jsStreamInfo_Destroy(information) }
        if found != NATS_NOT_FOUND {
            throw NATSError(found, "find the stream \(name)", advice: advice)
        }
        var code = jsErrCode(0)
        let status = name.withCString { name in
            (subjects.root + ">").withCString { subject in
                var subjects: [UnsafePointer<CChar>?] = [subject]
                return subjects.withUnsafeMutableBufferPointer { subjects in
                    var configuration = jsStreamConfig()
                    jsStreamConfig_Init(&configuration)
                    configuration.Name = name
                    configuration.Subjects = subjects.baseAddress
                    configuration.SubjectsLen = 1
                    configuration.Retention = js_InterestPolicy
                    configuration.MaxAge = age.milliseconds * 1_000_000
                    // Reply subjects say something else here.
                    configuration.NoAck = true
                    return js_AddStream(&information, context, &configuration, nil, &code)
                }
            }
        }
        if status == NATS_OK { return jsStreamInfo_Destroy(information) }
        // Somebody else may have made it meanwhile.
        if js_GetStreamInfo(&information, context, name, nil, nil) == NATS_OK {
            return jsStreamInfo_Destroy(information)
        }
        throw NATSError(status, "make the stream \(name)", advice: advice)
    }

    private static let advice =
        "; durable observers need a server with JetStream (nats-server -js)"

    /// Makes the consumer, if it is not there, and listens where the server sends what it kept.
    ///
    /// - Parameter context: libnats's, of the session.
    func subscribe(
        _ context: OpaquePointer, _ callback: natsMsgHandler, _ closure: UnsafeMutableRawPointer
    ) throws -> OpaquePointer {
        try make(context)
        var made: OpaquePointer?
        var code = jsErrCode(0)
        let status = stream.withCString { stream in
            name.withCString { name in
                var options = jsSubOptions()
                jsSubOptions_Init(&options)
                options.Stream = stream
                options.Consumer = name
                options.ManualAck = true
                return js_Subscribe(
                    &made, context, nil, callback, closure, nil, &options, &code)
            }
        }
        guard status == NATS_OK, let made else {
            throw NATSError(
                status, "observe durably as \"\(name)\"",
                advice: "; if another process does so, give this one a name of its own")
        }
        return made
    }

    /// How many notifications may be on their way to handlers, or with them.
    private static let mostPending: Int64 = 256

    private func make(_ context: OpaquePointer) throws {
        var information: UnsafeMutablePointer<jsConsumerInfo>?
        var code = jsErrCode(0)
        let status = name.withCString { name in
            pattern.withCString { pattern in
                place.withCString { place in
                    var configuration = jsConsumerConfig()
                    jsConsumerConfig_Init(&configuration)
                    configuration.Durable = name
                    configuration.FilterSubject = pattern
                    configuration.DeliverSubject = place
                    configuration.DeliverPolicy = js_DeliverNew
                    configuration.AckPolicy = js_AckExplicit
                    configuration.AckWait = handlingTime.milliseconds * 1_000_000
                    configuration.MaxAckPending = Self.mostPending
                    return js_AddConsumer(
                        &information, context, stream, &configuration, nil, &code)
                }
            }
        }
        guard status == NATS_OK else {
            throw NATSError(
                status, "keep what is posted for \"\(name)\"",
                advice:
                    "; a durable observer that observes something else than before needs another "
                    + "name, or has to be forgotten first")
        }
        jsConsumerInfo_Destroy(information)
    }
}
#endif
