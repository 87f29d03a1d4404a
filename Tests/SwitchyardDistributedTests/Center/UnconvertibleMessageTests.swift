// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import SwitchyardDistributed
import SwitchyardDistributedTesting
import TestSupport
import Testing

@Suite("Notifications under a message's name that are no message", .timeLimit(.minutes(5)))
struct UnconvertibleMessageTests {
    struct Added: DistributedMessage {
        static let name = Notification.Name("Added")
        var format: String
    }

    enum Posted: CaseIterable {
        case nothing, bytes, anotherType, data, otherMessage

        var payload: DistributedPayload {
            get throws {
                switch self {
                case .nothing: .none
                case .bytes: try DistributedPayload(bytes: [1])
                case .anotherType: try DistributedPayload(userInfo: ["format": 5])
                case .data: try DistributedPayload(userInfo: ["format": Data()])
                case .otherMessage: try DistributedPayload(message: Other(number: 5))
                }
            }
        }
    }

    struct Other: DistributedMessage { var number: Int }

    struct Saved: DistributedMessage, Equatable {
        static let name = Notification.Name("Saved")
        var path: String
        var date: Date
        var data: Data?
        var dates: [Date]?
        var ratio: Double?
        var ratios: [Double]?
        var tags: [String: String]?
        var link: URL?
        private enum CodingKeys: String, CodingKey {
            case path, date, data, dates
            case ratio = "the ratio"
            case ratios, tags, link
        }
    }

    @Test func `A notification may have dates, data and values that the message does not have`()
        async throws
    {
        let network = InMemoryNetwork()
        let (poster, hearer) = try (network.center(named: "a"), network.center(named: "b"))
        let (here, there) = (Log<Saved>(), Log<Saved>())
        let tokens = [
            poster.observe(Saved.self, on: .poster) { here.add($0) },
            hearer.observe(Saved.self, on: .poster) { there.add($0) },
        ]
        await hearer.waitUntilReady(within: .seconds(60))
        let saved = Saved(
            path: "/a", date: Date(timeIntervalSinceReferenceDate: 1.5), data: Data([1, 2]),
            dates: [Date(timeIntervalSinceReferenceDate: -3)], link: URL(string: "https://a.org/b"))
        poster.post(
            name: Saved.name, object: nil,
            userInfo: [
                "path": saved.path, "link": "https://a.org/b", "date": saved.date,
                "data": Data([1, 2]),
                "dates": [Date(timeIntervalSinceReferenceDate: -3)],
                "path of another": Double.infinity, "ratio": Data(), "when": Date.distantFuture,
                "nested": ["x": Data()],
            ])
        #expect(here.entries == [saved])
        #expect(await there.arrival(of: 1) == [saved])
        for token in tokens { token.cancel() }
    }

    @Test(
        arguments: [
            (["path": "/a"], "date"), (["path": "/a", "date": Double.infinity], "Double"),
            (["path": Data(), "date": Date()], "path"), (["path": Date(), "date": Date()], "path"),
            (["path": "/a", "date": Date(), "the ratio": Double.nan], "the ratio"),
            (["path": "/a", "date": Date(), "ratios": [1, Double.infinity]], "ratios"),
            (["path": "/a", "date": Date(), "tags": ["x": Data()]], "tags"),
            (["path": "/a", "date": Data()], "date"), (["path": "/a", "date": [Date()]], "date"),
        ] as [([String: any Sendable], String)])
    func `A notification of this process that is no message is reported with the property`(
        _ info: [String: any Sendable], _ word: String
    ) throws {
        let center = try InMemoryNetwork().center(named: "alone")
        let problems = Log<String>()
        center.onProblem { problems.add($0.description) }
        let token = center.observe(Saved.self, on: .poster) { Issue.record("heard \($0)") }
        center.post(name: Saved.name, object: nil, userInfo: info)
        let text = try #require(problems.entries.first)
        #expect(text.hasPrefix("what this process posted as \"Saved\" is no Saved, "))
        #expect(text.contains(word))
        token.cancel()
    }

    @Test(arguments: Posted.allCases)
    func
        `A notification that is no such message is reported with its poster, and the handler is not called`(
            posted: Posted
        ) async throws
    {
        let network = InMemoryNetwork()
        let (poster, hearer) = try (network.center(named: "a"), network.center(named: "b"))
        let (problems, problem) = AsyncStream.makeStream(of: DeliveryProblem.self)
        hearer.onProblem { problem.yield($0) }
        let token = hearer.observe(Added.self, on: .poster) { message in
            Issue.record("heard \(message)")
        }
        await hearer.waitUntilReady(within: .seconds(60))
        try poster.post(name: Added.name, payload: posted.payload)
        let reported = try #require(await problems.first { _ in true })
        #expect(reported.kind == .notConvertible)
        #expect(reported.description.contains("\(poster.ownPeer) posted as \"Added\""))
        token.cancel()
    }

    struct Tick: DistributedMessage { static let name = Notification.Name("Tick") }

    @Test func `Bytes under the name of a message without properties are no message`() async throws
    {
        let network = InMemoryNetwork()
        let (poster, hearer) = try (network.center(named: "a"), network.center(named: "b"))
        let problems = Log<DeliveryProblem.Kind>()
        for center in [poster, hearer] { center.onProblem { problems.add($0.kind) } }
        let heard = Log<Int>()
        let tokens = [poster, hearer].map { center in
            center.observe(Tick.self, on: .poster) { _ in heard.add(1) }
        }
        await hearer.waitUntilReady(within: .seconds(60))
        try poster.post(name: Tick.name, bytes: ([1] as [UInt8]).span.bytes)
        #expect(await problems.arrival(of: 2) == [.notConvertible, .notConvertible])
        poster.post(name: Tick.name, object: nil, userInfo: ["at": Date()])
        #expect(await heard.arrival(of: 2) == [1, 1])
        for token in tokens { token.cancel() }
    }

    /// Any JSON, as programs have such types.
    indirect enum AnyJSON: Codable, Equatable, Sendable {
        case text(String)
        case number(Double)
        case list([AnyJSON])

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let text = try? container.decode(String.self) {
                self = .text(text)
            } else if let number = try? container.decode(Double.self) {
                self = .number(number)
            } else {
                self = .list(try container.decode([AnyJSON].self))
            }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .text(let text): try container.encode(text)
            case .number(let number): try container.encode(number)
            case .list(let list): try container.encode(list)
            }
        }
    }

    /// A message that is decoded and can't be encoded.
    struct Limited: DistributedMessage {
        static let name = Notification.Name("Limited")
        var at: Date
        var limit = Double.infinity
        private enum CodingKeys: String, CodingKey { case at, limit }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            at = try container.decode(Date.self, forKey: .at)
            limit = try container.decodeIfPresent(Double.self, forKey: .limit) ?? .infinity
        }
    }

    @Test func `A message that can't be encoded can be made of a notification with a date`() throws
    {
        let center = try InMemoryNetwork().center(named: "alone")
        let heard = Log<Date>()
        let token = center.observe(Limited.self, on: .poster) { heard.add($0.at) }
        let date = Date(timeIntervalSinceReferenceDate: 1.5)
        center.post(name: Limited.name, object: nil, userInfo: ["at": date])
        #expect(heard.entries == [date])
        token.cancel()
    }

    struct Anything: DistributedMessage {
        static let name = Notification.Name("Anything")
        var value: AnyJSON
    }

    @Test func `A property that holds any JSON gets a date and data as JSON has them`() throws {
        let center = try InMemoryNetwork().center(named: "alone")
        let (heard, problems) = (Log<AnyJSON>(), Log<DeliveryProblem.Kind>())
        center.onProblem { problems.add($0.kind) }
        let token = center.observe(Anything.self, on: .poster) { heard.add($0.value) }
        func post(_ value: Any) {
            center.post(
                name: Anything.name, object: nil,
                userInfo: ["value": value, "when": Date(), "ratio": Double.nan])
        }
        post(Date(timeIntervalSinceReferenceDate: 1.5))
        post([Data([0])])
        post(Double.infinity)
        #expect(heard.entries == [.number(1.5), .list([.text("AA==")])])
        #expect(problems.entries == [.notConvertible])
        token.cancel()
    }

    struct Levels: DistributedMessage {
        struct Row: Codable {
            var values: [UInt8]
        }

        static let name = Notification.Name("Levels")
        var level: Int8?
        var rows: [Row]?
        var ratio: Float?
    }

    @Test(
        arguments: [
            (["level": 300], "level", "300", "Int8"), (["level": 1.5], "level", "1.5", "Int8"),
            (["rows": [["values": [1]], ["values": [2, -1]]]], "rows 1 values 1", "-1", "UInt8"),
            (["ratio": 1e300], "ratio", "1e+300", "Float"),
        ] as [([String: any Sendable], String, String, String)])
    func `A number that does not fit its property is named with both`(
        _ info: [String: any Sendable], _ path: String, _ number: String, _ type: String
    ) throws {
        let center = try InMemoryNetwork().center(named: "alone")
        let (problems, paths) = (Log<String>(), Log<String>())
        center.onProblem { problem in
            problems.add(problem.description)
            guard case DecodingError.dataCorrupted(let context)? = problem.error else { return }
            let steps = context.codingPath.map { step in
                step.intValue.map { "\($0)" } ?? step.stringValue
            }
            paths.add(steps.joined(separator: " "))
        }
        let token = center.observe(Levels.self, on: .poster) { Issue.record("heard \($0)") }
        center.post(name: Levels.name, object: nil, userInfo: info)
        let text = try #require(problems.entries.first)
        #expect(text.contains("the number \(number) does not fit in \(type)"), "\(text)")
        #expect(paths.entries == [path])
        token.cancel()
    }

    /// A message that Foundation decodes, whose decoding runs code of the test.
    struct Nesting: DistributedMessage {
        @TaskLocal static var whileDecoding: @Sendable () -> Void = {}

        init(from decoder: any Decoder) throws {
            _ = decoder.codingPath
            Self.whileDecoding()
        }

        func encode(to encoder: any Encoder) throws { _ = encoder.container(keyedBy: Key.self) }

        private enum Key: CodingKey {}
    }

    @Test func `A number is named also if it is read while another message is being decoded`()
        throws
    {
        let center = try InMemoryNetwork().center(named: "alone")
        let (problems, heard) = (Log<String>(), Log<Bool>())
        center.onProblem { problems.add($0.description) }
        let levels = center.observe(Levels.self, on: .poster) { Issue.record("heard \($0)") }
        let nesting = center.observe(Nesting.self, on: .poster) { _ in heard.add(true) }
        let postLevels: @Sendable () -> Void = {
            center.post(name: Levels.name, object: nil, userInfo: ["level": 300])
        }
        Nesting.$whileDecoding.withValue(postLevels) {
            center.post(name: Nesting.name, object: nil, userInfo: [:])
        }
        // Once in Switchyard's decoder, and once in Foundation's.
        #expect(problems.entries.count == 2)
        #expect(
            problems.entries.allSatisfy { $0.contains("the number 300 does not fit in Int8") },
            "\(problems.entries)")
        #expect(heard.entries == [true])
        for token in [levels, nesting] { token.cancel() }
    }

    /// A list of numbers that are tried as one type, and then as another.
    struct Mixed: DistributedMessage {
        enum Item: Codable {
            case whole(Int)
            case fraction(Double)

            init(from decoder: any Decoder) throws {
                let value = try decoder.singleValueContainer()
                if let number = try? value.decode(Int.self) {
                    self = .whole(number)
                } else {
                    self = .fraction(try value.decode(Double.self))
                }
            }
        }

        static let name = Notification.Name("Mixed")
        var items: [Item]
    }

    @Test func `Numbers that do not fit the first type that is tried are read as the next`() throws
    {
        let center = try InMemoryNetwork().center(named: "alone")
        let heard = Log<Int>()
        let token = center.observe(Mixed.self, on: .poster) { heard.add($0.items.count) }
        center.post(
            name: Mixed.name, object: nil,
            userInfo: ["items": [Double](repeating: 0.5, count: 2_000)])
        #expect(heard.entries == [2_000])
        token.cancel()
    }
}
