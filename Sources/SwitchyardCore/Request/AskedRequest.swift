// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// A request on its way to those who answer it.
struct AskedRequest<Request: RequestMessage>: NotificationMessage {
    typealias Subject = Request.Subject

    let request: Request
    let gathering: Gathering<Request.Reply>
    /// The rank of the answer that is about to be given.
    var rank = AnswerRank()

    /// Answers with the result of `body`. An error that it throws goes to the one who asked, and on
    /// to the center's problem hook.
    func answer(_ body: (Request) throws -> Request.Reply) throws {
        do {
            gathering.add(try body(request), ranked: rank)
        } catch {
            gathering.fail(error, ranked: rank)
            throw error
        }
    }

    /// Answers with the result of an async `body`. An error that it throws goes to the one who
    /// asked, and on to the center's problem hook.
    func answerAsync(_ body: (Request) async throws -> Request.Reply) async throws {
        do {
            gathering.add(try await body(request), ranked: rank)
        } catch {
            gathering.fail(error, ranked: rank)
            throw error
        }
    }
}

extension AskedRequest: NamesTopicOtherwise {
    static var topicName: String { Request._name.map { "\"\($0)\"" } ?? TypeName.of(Request.self) }
}
