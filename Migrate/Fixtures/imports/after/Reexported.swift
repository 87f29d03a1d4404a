//
//  Reexported.swift
//

import Switchyard
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

/// Posts.
func postReexported() { NotificationCenter.default.post(name: .init("a"), object: nil) }
