/**
 * The start of a perl program that creates its own namespaces and there escapes from the mounts of the
 * sandbox: a mount is in the way of a rename in its own mount namespace only, and the working directory survives the
 * detaching. Its first argument is the work tree, where it ends up.
 */
export const UNCOVER = `
my ($tree, $uid, $gid) = ($ARGV[0], $<, $( + 0);
sys('unshare', 0x10000000 | 0x20000) == 0 or held("unshare: $!");
for (['setgroups', 'deny'], ['uid_map', "0 $uid 1"], ['gid_map', "0 $gid 1"]) {
  open(my $file, '>', "/proc/self/$_->[0]") or held("$_->[0]: $!");
  syswrite($file, $_->[1]);
  close $file;
}
chdir $tree or held("chdir: $!");
sys('mount', 'none', '/', '', 0x4000 | 0x40000, '') == 0 or held("mount: $!");
sys('mount', 'none', '/tmp', 'tmpfs', 0, '') == 0 or held("mount: $!");
mkdir '/tmp/old' or held("mkdir: $!");
sys('pivot_root', '/tmp', '/tmp/old') == 0 or held("pivot_root: $!");
sys('umount2', '/old', 2) == 0 or held("umount2: $!");
`;
