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

func postConditional() { NotificationCenter.default.post(name: .init("a"), object: nil) }
