import Library

let planner = LibraryPlanner(center: NotificationCenter.default)
