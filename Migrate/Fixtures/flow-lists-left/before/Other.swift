func start(_ watcher: Watcher) { watcher.watch(#selector(Watcher.first)) }
