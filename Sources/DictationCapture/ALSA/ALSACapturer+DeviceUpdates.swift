#if ALSA
public import DictationCore
import DictationSystem

extension ALSACapturer {
    /// The list of devices: first the current list, then a new list whenever it changes.
    ///
    ///     for await devices in ALSACapturer().deviceUpdates() { print(devices.map(\.name)) }
    ///
    /// Only the newest list is delivered: several changes between two calls appear as one. Devices that the kernel adds or
    /// removes appear at once. Changes in a sound server or a configuration appear within two seconds, because they send no
    /// notification.
    public struct DeviceUpdates: AsyncSequence, Sendable {
        /// A list of devices.
        public typealias Element = [AudioDevice]
        /// The sequence never fails.
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

        /// Begins to watch the devices.
        public func makeAsyncIterator() -> Iterator {
            Iterator(watch: FolderWatch(folders), interval: interval, list: list)
        }

        /// An iterator over lists of devices.
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

            /// Waits for a list that differs from the last one. Returns `nil` once the task is cancelled.
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

            /// Waits, on the caller's actor, for a list that differs from the last one. Returns `nil` once the task is
            /// cancelled.
            public mutating func next(isolation actor: isolated (any Actor)?) async -> [AudioDevice]? {
                await next()
            }
        }
    }
}

// An iterator belongs to one task. Another task makes its own iterator.
@available(*, unavailable) extension ALSACapturer.DeviceUpdates.Iterator: Sendable {}
#endif
