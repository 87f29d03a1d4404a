import Switchyard

func postSwitched() { NotificationCenter.default.post(name: .init("a"), object: nil) }
