// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import ArgumentParser
internal import Foundation
internal import SwitchyardConsole
internal import SwitchyardDistributed

#if NATS
internal import SwitchyardNATS
#endif

/// The command `switchyard refused`: lists notifications that durable observers refused until they
/// were given up, and posts them again or discards them.
struct RefusedCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "refused",
        abstract:
            "Lists notifications that durable observers on a NATS cluster refused, and posts them again.",
        discussion: """
            A durable observer whose handler throws gets the notification again, after growing pauses. After \
            the last try it is given up, and kept here. Each line is a JSON object: number, durable (the \
            observer's name), name, object, sender, sequence, deliveries and error.

            --again gives notifications back to the observer that refused them, and to nobody else; where \
            it is away, they wait until it is back. --discard forgets them. Both apply to the \
            notifications that would be listed.

            EXAMPLES
              switchyard refused --nats nats://nats.example.org
              switchyard refused invoices --nats nats://nats.example.org --again
              switchyard refused --nats nats://nats.example.org --number 7 9 --discard

            EXIT STATUS
              0  It was done.
              1  The cluster can't be asked, or a number is not among the refused.
              64 The arguments are wrong.
            """)

    @Argument(
        help: ArgumentHelp(
            "Only the notifications that this durable observer refused.", valueName: "durable"))
    var durable: String?

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp("Only the notifications of these numbers.", valueName: "number"))
    var number: [UInt64] = []

    @Flag(help: "Give them back to the durable observer that refused them.")
    var again = false

    @Flag(help: "Forget them.")
    var discard = false

    @OptionGroup var domain: DomainOptions

    func validate() throws {
        if domain.nats == nil {
            throw ValidationError("--nats: name the cluster, as in nats://host:4222")
        }
        if let durable { try ValidationError.check(durable: durable) }
        if again && discard { throw ValidationError("--again and --discard exclude each other") }
    }

    func run() throws {
        let center = try domain.join(.refused)
        do {
            try work(center)
        } catch let code as ExitCode {
            throw code
        } catch {
            StandardErrorLog.refused.say("\(error)")
            throw ExitCode.failure
        }
    }

    #if NATS
    private func work(_ center: DistributedNotificationCenter) throws {
        let all = try center.refused(durable: durable)
        let wanted = number.isEmpty ? all : all.filter { number.contains($0.id) }
        for refused in wanted {
            if again {
                try center.postAgain(refused)
            } else if discard {
                try center.discard(refused)
            } else {
                print(try JSONLine.text(of: RefusedLine(refused)))
            }
        }
        if again { StandardErrorLog.refused.say("posted again: \(wanted.count)") }
        if discard { StandardErrorLog.refused.say("discarded: \(wanted.count)") }
        let missing = number.filter { number in !wanted.contains { $0.id == number } }
        if missing.isEmpty { return }
        let list = missing.map { "\($0)" }.joined(separator: ", ")
        StandardErrorLog.refused.say("not among the refused: \(list)")
        throw ExitCode.failure
    }
    #else
    private func work(_ center: DistributedNotificationCenter) throws {}
    #endif
}

#if NATS
/// One line of the list, as JSON.
private struct RefusedLine: Encodable {
    let number: UInt64
    let durable: String
    let name: String
    let object: String?
    let sender: String
    let sequence: UInt64
    let deliveries: Int
    let error: String

    init(_ refused: RefusedNotification) {
        number = refused.id
        durable = refused.durable
        name = refused.name.rawValue
        object = refused.object
        sender = refused.sender.description
        sequence = refused.sequence
        deliveries = refused.deliveryCount
        error = refused.error
    }
}
#endif

extension StandardErrorLog {
    static let refused = StandardErrorLog("switchyard refused")
}
