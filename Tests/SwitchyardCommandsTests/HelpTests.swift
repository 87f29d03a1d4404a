// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import ArgumentParser
import Foundation
import Testing

@testable import SwitchyardCommands

/// The help of the commands.
@Suite struct HelpTests {
    static let commands: [any ParsableCommand.Type] = [
        PostCommand.self, ObserveCommand.self, PeersCommand.self, PingCommand.self,
        BridgeCommand.self,
    ]

    @Test(arguments: commands.indices)
    func `Every example is understood`(_ index: Int) throws {
        let examples = Self.commands[index].helpMessage(columns: 1_000)
            .split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { $0.contains("switchyard ") && !$0.hasPrefix("USAGE") }
        #expect(examples.count >= 2)
        for example in examples {
            guard let command = example.split(separator: "switchyard ").last else { continue }
            let words = Self.words(String(command))
            #expect(throws: Never.self, "\(example)") {
                _ = try SwitchyardCommand.parseAsRoot(words)
            }
        }
    }

    /// The words of a line, split as a shell does, up to the next command.
    private static func words(_ line: String) -> [String] {
        var words: [String] = []
        var word = ""
        var quote: Character?
        for character in line {
            switch character {
            case _ where character == quote: quote = nil
            case _ where quote != nil: word.append(character)
            case "'", "\"": quote = character
            case " ":
                words.append(word)
                word = ""
            case "|", ">", "<", "&", ";": return words.filter { !$0.isEmpty }
            default: word.append(character)
            }
        }
        return (words + [word]).filter { !$0.isEmpty }
    }
}
