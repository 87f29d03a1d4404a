#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import Switchyard
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

func postConditional() { NotificationCenter.default.post(name: .init("a"), object: nil) }
