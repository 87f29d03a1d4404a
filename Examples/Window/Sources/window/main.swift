// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// A GTK window whose label shows what a worker thread posts.
//
//     swift run --package-path Examples/Window
//
// With `--once` the window closes when it has shown the last step.

import CGTK
import Foundation
import SwitchyardCore

let center = MessageCenter()
let isOnce = CommandLine.arguments.contains("--once")
var window: StatusWindow?

guard let application = example_application_new("org.example.switchyard.window") else {
    fatalError("GTK made no application")
}
let status = example_application_run(
    application,
    { application, _ in
        guard let application else { return }
        nonisolated(unsafe) let given = application
        // GTK calls back on the thread that runs the application: this one.
        MainActor.assumeIsolated {
            let made = StatusWindow(given, closesAtEnd: isOnce)
            made.observe(center)
            window = made
            Worker.start(posting: center, pause: isOnce ? 0 : 0.5)
        }
    }, nil)
g_object_unref(application)
exit(status)
