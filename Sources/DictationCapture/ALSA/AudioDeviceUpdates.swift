#if ALSA
public import DictationCore

/// The list of devices, first as it is and then whenever it changes, for as long as someone waits for it.
///
///     for await devices in ALSACapturer().deviceUpdates() { print(devices.map(\.name)) }
///
/// Only the newest list is given: changes between two calls are one. What the kernel adds and removes is seen at
/// once; what a sound server or a configuration does, which tell nobody, within two seconds.
public struct AudioDeviceUpdates: AsyncSequence, Sendable {
    /// What the sequence gives.
    public typealias Element = [AudioDevice]
    /// It never fails.
    public typealias Failure = Never

    private let folders: [String]
    private let interval: Duration
    private let list: @Sendable () -> [AudioDevice]

    init(
        folders: [String] = ["/dev/snd", "/dev"], interval: Duration = .seconds(2),
        list: @escaping @Sendable () -> [AudioDevice]
    ) {
        self.folders = folders
        self.interval = interval
        self.list = list
    }

    /// Begins to watch.
    public func makeAsyncIterator() -> Iterator {
        Iterator(watch: FolderWatch(folders), interval: interval, list: list)
    }

    /// Gives the lists.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let watch: FolderWatch
        fileprivate let interval: Duration
        fileprivate let list: @Sendable () -> [AudioDevice]
        private let thread = BlockingThread(name: "device-watch")
        private var last: [AudioDevice]?

        fileprivate init(watch: FolderWatch, interval: Duration, list: @escaping @Sendable () -> [AudioDevice]) {
            self.watch = watch
            self.interval = interval
            self.list = list
        }

        /// Waits for a list that is not the last one; `nil` once the task is cancelled.
        public mutating func next() async -> [AudioDevice]? {
            let (watch, interval, list, last) = (watch, interval, list, last)
            let devices = await withTaskCancellationHandler {
                await Task(executorPreference: thread) { () -> [AudioDevice]? in
                    while !watch.hasEnded {
                        let devices = list()
                        if devices != last { return devices }
                        watch.wait(interval)
                    }
                    return nil
                }.value
            } onCancel: {
                watch.end()
            }
            if let devices { self.last = devices }
            return devices
        }

        /// Waits, on the caller's actor, for a list that is not the last one; `nil` once the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> [AudioDevice]? {
            await next()
        }
    }
}

// One task reads; another asks for an iterator of its own.
@available(*, unavailable) extension AudioDeviceUpdates.Iterator: Sendable {}
#else
/// The list of devices, first as it is and then whenever it changes.
@available(*, unavailable, message: "Enable the 'ALSA' trait")
public struct AudioDeviceUpdates: Sendable {}
#endif
