/**
 * What every macOS program needs to run. No path of the user is named here. Not included: services that act for the
 * user (keychain, preferences, launching applications, Apple events), arguments and environments of other processes
 * (`kern.procargs2`), and hard links, because other rules would apply to a second name of a file.
 */
export const SYSTEM_RULES = `(version 1)
(deny default)

; processes: what they start stays in this sandbox, and they reach nothing outside of it
(allow process-fork)
(allow process-exec)
(allow process-info* (target same-sandbox))
(allow signal (target same-sandbox))
(allow ipc-posix-sem)
(allow ipc-posix-shm-read* (ipc-posix-name "apple.shm.notification_center"))
(allow mach-lookup
  (global-name "com.apple.system.logger")
  (global-name "com.apple.system.notification_center")
  (global-name "com.apple.system.opendirectoryd.libinfo")
  (global-name "com.apple.system.opendirectoryd.membership"))
(allow sysctl-read
  (sysctl-name "kern.argmax")
  (sysctl-name "kern.hostname")
  (sysctl-name "kern.iossupportversion")
  (sysctl-name "kern.maxfilesperproc")
  (sysctl-name "kern.maxproc")
  (sysctl-name "kern.ngroups")
  (sysctl-name "kern.osproductversion")
  (sysctl-name "kern.osrelease")
  (sysctl-name "kern.ostype")
  (sysctl-name "kern.osvariant_status")
  (sysctl-name "kern.osversion")
  (sysctl-name "kern.secure_kernel")
  (sysctl-name "kern.usrstack64")
  (sysctl-name "kern.version")
  (sysctl-name "sysctl.proc_cputype")
  (sysctl-name "vm.loadavg")
  (sysctl-name-prefix "hw.")
  (sysctl-name-prefix "kern.proc.pgrp.")
  (sysctl-name-prefix "kern.proc.pid.")
  (sysctl-name-prefix "machdep.cpu."))

; devices
(allow file-read* file-write-data
  (literal "/dev/null")
  (literal "/dev/zero"))
(allow file-read*
  (literal "/dev/random")
  (literal "/dev/urandom")
  (subpath "/dev/fd"))
(allow file-read* file-write-data file-ioctl
  (literal "/dev/dtracehelper")
  (literal "/dev/tty")
  (regex #"^/dev/ttys[0-9]+$"))
(allow pseudo-tty)
(allow file-read* file-write* file-ioctl (literal "/dev/ptmx"))

; the system's own programs and libraries, to be read and run
(allow file-read-metadata
  (literal "/etc")
  (literal "/private")
  (literal "/private/etc")
  (literal "/private/var")
  (literal "/private/var/db")
  (literal "/private/var/select")
  (literal "/tmp")
  (literal "/private/tmp")
  (literal "/var")
  (literal "/Applications")
  (literal "/Library")
  (literal "/System")
  (literal "/System/Volumes")
  (literal "/System/Volumes/Preboot"))
(allow file-read* file-map-executable
  (literal "/")
  (subpath "/bin")
  (subpath "/sbin")
  (subpath "/usr")
  (subpath "/opt")
  (subpath "/nix/store")
  (subpath "/Applications/Xcode.app/Contents/Developer")
  (subpath "/Library/Apple")
  (subpath "/Library/Developer")
  (subpath "/Library/Frameworks")
  (subpath "/Library/Java")
  (subpath "/System/Cryptexes")
  (subpath "/System/Library")
  (subpath "/System/Volumes/Preboot/Cryptexes")
  (subpath "/private/etc/ssl")
  (subpath "/private/var/db/dyld")
  (subpath "/private/var/db/timezone")
  (literal "/private/var/db/xcode_select_link")
  (literal "/private/var/select/developer_dir")
  (literal "/private/var/select/sh")
  (literal "/private/etc/localtime")
  (literal "/private/etc/protocols")
  (literal "/private/etc/services")
  (literal "/private/etc/shells"))
`;

/**
 * Every address, and the services that resolve names and check certificates; still no sockets of the machine's services
 * by path.
 */
export const FULL_NETWORK = `
; network: all of it
(allow system-socket)
(allow network-outbound (remote ip))
(allow network-bind network-inbound (local ip))
(allow network-outbound (remote unix-socket (path-literal "/private/var/run/mDNSResponder")))
(allow file-read*
  (literal "/private/etc/hosts")
  (literal "/private/etc/resolv.conf")
  (literal "/private/var/run/resolv.conf"))
(allow mach-lookup
  (global-name "com.apple.SystemConfiguration.configd")
  (global-name "com.apple.trustd.agent"))
`;

/** One port on this machine, where the proxy of the allowlist listens. */
export const proxyNetwork = (port: number): string => `
; network: the proxy and nothing else
(allow network-outbound (remote ip "localhost:${port}"))
`;

export const NO_NETWORK = `
; network: none
`;
