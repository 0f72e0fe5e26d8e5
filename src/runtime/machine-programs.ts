/** Whether a container without an image has a program, if the machine has it. */
export const isMachineProgram = (name: string): boolean => name === 'node' || MACHINE_PROGRAMS.includes(name);

/**
 * The programs of this machine that a container without an image has, besides node: what people and agents expect in a
 * shell. Programs that consist of libraries, such as python and perl, are not among them: use an image or a Dockerfile
 * for those.
 */
export const MACHINE_PROGRAMS: readonly string[] = [
  'sh bash dash env git jj ssh curl make socat awk bzip2 cmp diff diff3 find gawk mawk grep egrep fgrep',
  'gunzip gzip less patch sed tar unzip which xargs xz zcat zip rg jq kill pgrep pkill ps top hostname',
  'flock getopt setsid script',
  // coreutils
  'arch base32 base64 basename cat chgrp chmod chown cksum comm cp csplit cut date dd df dir dircolors',
  'dirname du echo expand expr factor false fmt fold groups head hostid id install join link ln logname',
  'ls md5sum mkdir mkfifo mknod mktemp mv nice nl nohup nproc numfmt od paste pathchk pr printenv',
  'printf ptx pwd readlink realpath rm rmdir seq sha1sum sha224sum sha256sum sha384sum sha512sum shred',
  'shuf sleep sort split stat stdbuf stty sum sync tac tail tee test timeout touch tr true truncate',
  'tsort tty uname unexpand uniq unlink users vdir wc who whoami yes [',
].flatMap(line => line.split(' '));
