import DictationCore

/// A row of blocks, filled from the left by eighths: `▕████▍     ▏`.
func bar(_ fraction: Double, columns: Int) -> String {
    let eighths = Int((min(1, max(0, fraction.isFinite ? fraction : 0)) * Double(columns * 8)).rounded())
    let parts = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]
    let filled = String(repeating: "█", count: eighths / 8) + parts[eighths % 8]
    return "▕" + filled + String(repeating: " ", count: columns - filled.count) + "▏"
}

/// A level as a bar, from -60 dB to full scale.
func meter(_ level: AudioLevel, columns: Int) -> String {
    bar((level.rms.value + 60) / 60, columns: columns)
}

/// A time as on a tape counter: `1:02:03`, `0:07`.
func clock(_ time: Duration) -> String {
    let seconds = max(0, time.components.seconds)
    let (hours, minutes) = (seconds / 3_600, seconds / 60 % 60)
    let tail = twoDigits(seconds % 60)
    return hours > 0 ? "\(hours):\(twoDigits(minutes)):\(tail)" : "\(minutes):\(tail)"
}

func twoDigits(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
