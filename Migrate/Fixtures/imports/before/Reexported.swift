//
//  Reexported.swift
//

/// Posts.
func postReexported() { NotificationCenter.default.post(name: .init("a"), object: nil) }
