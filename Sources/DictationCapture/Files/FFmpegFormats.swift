#if SoundFile
/// The formats that FFmpeg may read.
enum FFmpegFormats {
    /// The names of the formats, with commas. Each holds audio and points to no other file. FFmpeg also knows playlists,
    /// descriptions of network sessions, patterns of names, devices, scripts and virtual files, which are left out. So
    /// are formats without a header, because FFmpeg takes raw samples for them.
    static let allowed = (containers + audio).joined(separator: ",")

    private static let containers = [
        "3g2", "3gp", "asf", "asf_o", "avi", "dhav", "dv", "dxa", "flv", "gxf", "ivr", "live_flv", "m4a", "matroska",
        "mj2", "mov", "mp4", "mpeg", "mpegts", "mxf", "nsv", "nut", "ogg", "rm", "swf", "webm", "wtv", "xwma",
    ]
    private static let audio = [
        "aac", "ac3", "aiff", "amr", "ape", "ast", "au", "caf", "dsf", "dts", "dtshd", "eac3", "flac",
        "iff", "ilbc", "ircam", "loas", "mlp", "mmf", "mp3", "mpc", "mpc8", "nistsphere", "oma", "pvf", "qcp", "rso",
        "shn", "sox", "spdif", "tak", "truehd", "tta", "voc", "w64", "wav", "wv",
    ]
}
#endif
