// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// The program starts itself as a child. The two talk through a pair of pipes, by a transport that
// the documentation's page "Writing a transport" explains.
if CommandLine.arguments.dropFirst().first == "child" {
    try ChildProgram.run()
} else {
    try ParentProgram().run()
}
