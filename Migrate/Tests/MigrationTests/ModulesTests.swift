// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Migration
import Testing

@Suite("Several modules") struct ModulesTests {
    private func module(_ name: String, _ text: String) -> ModuleSources {
        ModuleSources(
            name: name,
            files: [SourceText(path: name + "/A.swift", contents: Array(text.utf8))])
    }

    @Test func `A member that one module adds to the center is known in the others`() {
        let extending = module(
            "Library",
            """
            import Foundation
            extension NotificationCenter { public func postLater() {} }
            """)
        let using = module(
            "App", "import Foundation\nfunc run() { NotificationCenter.default.postLater() }")
        let together = Migrator.migrate([extending, using])
        #expect(together.files.map(\.path) == ["Library/A.swift", "App/A.swift"])
        #expect(!together.leavesSomething)
        let alone = Migrator.migrate([using])
        #expect(alone.files.isEmpty)
        #expect(alone.findings.map(\.code) == [.centerMember])
    }

    @Test func `Every observer with a selector has a line in the report`() {
        let text = """
            import UIKit
            class Screen: UIViewController {
                func watch(_ center: NotificationCenter) {
                    center.addObserver(self, selector: #selector(a), name: nil, object: nil)
                    center.addObserver(self, selector: #selector(b(_:)), name: nil, object: nil)
                    other.center.addObserver(self, selector: s, name: nil, object: nil)
                }
                @objc func a() {}
                @objc func b(_ flag: Bool) {}
            }
            """
        for options in [MigrationOptions(), MigrationOptions(apple: true)] {
            let findings = Migrator.migrate([module("App", text)], options).findings
            #expect(Set(findings.map(\.line)).isSuperset(of: [4, 5, 6]))
        }
    }

    @Test func `A name means the type that lies nearest where there is no manifest`() {
        func files(_ folder: String, _ method: String) -> [SourceText] {
            let type =
                "import Foundation\nfinal class Screen: NSObject { @objc func \(method)() {} }"
            let use = """
                import Foundation
                extension Screen {
                    func watch(_ center: NotificationCenter) {
                        center.addObserver(self, selector: #selector(\(method)), name: nil, object: nil)
                    }
                }
                """
            return [
                SourceText(path: folder + "/Screen.swift", contents: Array(type.utf8)),
                SourceText(path: folder + "/Watch.swift", contents: Array(use.utf8)),
            ]
        }
        let both = ModuleSources(name: "", files: files("One", "a") + files("Two", "b"))
        let findings = Migrator.migrate([both]).findings
        #expect(findings.filter { $0.kind == .left } == [])
        #expect(
            findings.filter { $0.code == .selector }.map(\.file) == [
                "One/Watch.swift", "Two/Watch.swift",
            ])
    }

    @Test func `Aliases that name each other mean no type`() {
        let aliases = module(
            "App",
            """
            import Foundation
            #if os(macOS)
            typealias UIView = NSView
            #else
            typealias NSView = UIView
            #endif
            class Screen: UIView {
                func watch(_ center: NotificationCenter, _ view: NSView) {
                    center.addObserver(view, selector: #selector(a), name: nil, object: nil)
                }
            }
            """)
        #expect(Migrator.migrate([aliases]).findings.map(\.code).contains(.methodOutside))
    }

    @Test func `Imports are written before a first statement that changes`() throws {
        let text = """
            NotificationCenter.default.do { $0.removeObserver(one) }
            print("removed")
            """
        let file = try #require(Migrator.migrate([module("App", text)]).files.first)
        #expect(
            String(decoding: file.contents, as: UTF8.self) == """
                import Switchyard
                import class Switchyard.NotificationCenter
                import class Switchyard.NotificationQueue

                do { NotificationCenter.default.removeObserver(one) }
                print("removed")
                """)
    }

    @Test func `A method that Objective-C names keeps its attribute`() {
        let app = module(
            "App",
            """
            import Foundation
            final class Store: NSObject {
                func watch(_ center: NotificationCenter) {
                    center.addObserver(self, selector: #selector(saved), name: nil, object: nil)
                    center.addObserver(self, selector: #selector(read(note:)), name: nil, object: nil)
                    center.addObserver(self, selector: #selector(closed), name: nil, object: nil)
                }
                @objc func saved() {}
                @objc func read(note: Notification) {}
                @objc func closed() {}
            }
            """)
        let text = "[store saved]; [store readWithNote:note]; [store closedAll];"
        let other = SourceText(path: "App/Main.m", contents: Array(text.utf8))
        let findings = Migrator.migrate([app], beside: [other]).findings
        #expect(findings.filter { $0.code == .objc && $0.kind == .left }.map(\.line) == [8, 9])
        #expect(findings.filter { $0.code == .objc && $0.kind == .changed }.map(\.line) == [10])
    }

    /// A method that takes a selector, and a call of it in another file.
    private let helper = """
        import Foundation
        class Base: NSObject {
            func listen(_ selector: Selector) {
                NotificationCenter.default.addObserver(self, selector: selector, name: nil, object: nil)
            }
        }
        """
    private let heir = """
        import Foundation
        final class Heir: Base {
            func start() { listen(#selector(told)) }
            @objc func told() {}
        }
        """

    private func source(_ path: String, _ text: String) -> SourceText {
        SourceText(path: path, contents: Array(text.utf8))
    }

    @Test func `A method that takes a selector stays where tests call it`() {
        let app = ModuleSources(
            name: "App", files: [source("App/A.swift", helper), source("App/B.swift", heir)])
        let tests = module(
            "Tests", "@testable import App\nfunc test(_ heir: Heir) { heir.listen(selector) }")
        #expect(Migrator.migrate([app]).findings.filter { $0.kind == .left } == [])
        let findings = Migrator.migrate([app, tests]).findings
        #expect(findings.filter { $0.code == .selector } == [])
        #expect(findings.contains { $0.file == "App/A.swift" && $0.message.contains("tests") })
        #expect(findings.contains { $0.file == "App/B.swift" && $0.kind == .left })
    }

    @Test func `A method that takes a selector stays where a damaged file names it`() {
        let damaged = source("App/C.swift", "func broken( { listen(")
        let app = ModuleSources(
            name: "App",
            files: [source("App/A.swift", helper), source("App/B.swift", heir), damaged])
        let findings = Migrator.migrate([app]).findings
        #expect(findings.filter { $0.code == .selector } == [])
        #expect(findings.contains { $0.file == "App/A.swift" && $0.message.contains("syntax") })
    }

    @Test func `Calls in several files change together, whatever the order of the files`() {
        for files in [["A", "B"], ["B", "A"]] {
            let texts = ["A": helper, "B": heir]
            let app = ModuleSources(
                name: "App", files: files.map { source($0 + ".swift", texts[$0] ?? "") })
            let migration = Migrator.migrate([app])
            #expect(migration.files.map(\.path) == files.map { $0 + ".swift" })
            #expect(!migration.leavesSomething)
        }
    }

    @Test func `A method that takes a selector stays where it can't be told who inherits it`() {
        let start = "func start(_ heir: Heir) { heir.listen(#selector(Heir.told)) }"
        let app = ModuleSources(
            name: "",
            files: [
                source("One/Base.swift", helper), source("Two/Base.swift", "class Base {}"),
                source("One/Near.swift", heir.replacing("Heir", with: "Near")),
                source("Three/Heir.swift", heir.replacing("listen", with: "print")),
                source("Four/Start.swift", start),
            ])
        let findings = Migrator.migrate([app]).findings
        #expect(findings.filter { $0.code == .selector } == [])
        #expect(findings.contains { $0.file == "One/Base.swift" && $0.line == 4 })
    }
}
