public import DictationCore
import DictationSystem

/// The files that let systemd and D-Bus start a program when somebody needs the service that it offers.
///
/// The user's systemd then listens at `ServiceListener.standardPath` and starts the program for the first client. So does
/// the bus when somebody calls ``BusListener``. The program uses ``ServiceManager``. Run
/// `systemctl --user daemon-reload` and `systemctl --user enable --now dictation.socket` afterwards.
public struct ServiceInstallation: Sendable, Hashable {
    /// The name of the unit that runs the program.
    public static let serviceUnit = "dictation.service"
    /// The name of the unit that listens.
    public static let socketUnit = "dictation.socket"

    /// A file to install.
    public struct File: Sendable, Hashable {
        /// The folder, which is made if it does not exist.
        public let folder: String
        /// The file's name.
        public let name: String
        /// What the file contains.
        public let text: String

        /// The file's path.
        public var path: String { folder + "/" + name }
    }

    /// The files.
    public let files: [File]

    /// Describes the files for a program.
    ///
    /// - Parameters:
    ///   - program: The program's absolute path.
    ///   - arguments: The arguments with which it offers the service.
    /// - Throws: `invalidInput` if the user has no home, or if a word has control characters, which the files can't have.
    public init(program: String, arguments: [String] = []) throws(DictationError) {
        guard let configuration = UserFolders.configuration(), let data = UserFolders.data() else {
            throw DictationError(
                .invalidInput, "This user has no folder for units of systemd.", recovery: "Set HOME.")
        }
        let words = [program] + arguments
        guard words.allSatisfy({ $0.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F } }) else {
            throw DictationError(
                .invalidInput, "The command line “\(words.joined(separator: " "))” has control characters.",
                recovery: "Choose other names.")
        }
        let units = configuration + "/systemd/user"
        files = [
            File(folder: units, name: Self.serviceUnit, text: Self.service(words)),
            File(folder: units, name: Self.socketUnit, text: Self.socket),
            File(
                folder: data + "/dbus-1/services", name: BusInterface.name + ".service", text: Self.activation(words)),
        ]
    }

    /// Whether all files exist.
    public var isInstalled: Bool { files.allSatisfy { access($0.path, F_OK) == 0 } }

    /// Writes the files, in place of older ones.
    public func install() throws(DictationError) {
        for file in files {
            guard let name = try? FileName(file.name) else { continue }
            try Folder.making(file.folder).write(file.text.utf8, to: name)
        }
    }

    /// Removes the files.
    public func uninstall() throws(DictationError) {
        for file in files where unlink(file.path) != 0 && errno != ENOENT {
            throw .file("remove", file.path, errno)
        }
    }

    // MARK: Texts

    private static func service(_ words: [String]) -> String {
        """
        [Unit]
        Description=Dictation
        Requires=\(socketUnit)
        After=\(socketUnit) pipewire.service pulseaudio.service

        [Service]
        Type=notify
        ExecStart=\(words.map(quotedForSystemd).joined(separator: " "))
        WatchdogSec=120
        TimeoutStopSec=30
        Restart=on-failure
        UMask=0077
        NoNewPrivileges=yes
        LockPersonality=yes
        MemoryDenyWriteExecute=yes
        RestrictNamespaces=yes
        RestrictRealtime=yes
        RestrictSUIDSGID=yes
        RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
        SystemCallArchitectures=native
        SystemCallFilter=@system-service
        SystemCallFilter=~@privileged
        SystemCallErrorNumber=EPERM

        """
    }

    private static let socket = """
        [Unit]
        Description=Socket of the dictation service

        [Socket]
        ListenStream=%t/dictation/socket
        SocketMode=0600
        DirectoryMode=0700

        [Install]
        WantedBy=sockets.target

        """

    private static func activation(_ words: [String]) -> String {
        """
        [D-BUS Service]
        Name=\(BusInterface.name)
        Exec=\(words.map(quotedForBus).joined(separator: " "))
        SystemdService=\(serviceUnit)

        """
    }

    /// Quotes a word of a command line in a unit.
    static func quotedForSystemd(_ word: String) -> String {
        let special: [Character: String] = ["\"": "\\\"", "\\": "\\\\", "%": "%%", "$": "$$"]
        return "\"" + word.map { special[$0] ?? String($0) }.joined() + "\""
    }

    /// Quotes a word of a command line in a file for the bus's daemon, which reads it as a shell does.
    static func quotedForBus(_ word: String) -> String {
        "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}
