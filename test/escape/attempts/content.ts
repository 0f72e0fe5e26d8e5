import type { ContentAttempt } from '../harness/content-attempt.js';
import { perl } from '../harness/program.js';

/**
 * Commits whose content would harm the user who checks them out. Each is made past all of git's own checks, on the
 * branch of the workspace; it may not arrive in the repository.
 */
export const content: readonly ContentAttempt[] = [
  arriving(
    'commits a .git directory in another spelling',
    `tree(['40000', '.GIT', tree(['100644', 'config', $blob])])`,
  ),
  arriving('commits a .git directory as it is', `tree(['40000', '.git', tree(['100644', 'config', $blob])])`),
  arriving('commits a .git that Windows would take for one', `tree(['100644', 'git~1', $blob])`),
  arriving('commits a path that goes up', `tree(['40000', '..', tree(['100644', 'up', $blob])])`),
  arriving('commits a name with a slash in it', `tree(['100644', '../up', $blob])`),
  arriving(
    'commits two names that are one where case does not count',
    `tree(['100644', 'NAME', $blob], ['100644', 'name', $blob])`,
  ),
  arriving('commits a link to an absolute path', `tree(['120000', 'link', blob('/etc/passwd')])`),
  arriving('commits a link that leaves the tree', `tree(['120000', 'link', blob('../../../secret')])`),
  arriving('commits a link into .git', `tree(['120000', 'link', blob('.git/hooks')])`),
  arriving('commits a .gitmodules that is a link', `tree(['120000', '.gitmodules', blob('elsewhere')])`),
  arriving(
    'commits a .gitattributes that is a link',
    `tree(['120000', '.gitattributes', blob('elsewhere')])`,
  ),
  arriving(
    'commits a submodule whose address is an option',
    String.raw`tree(['100644', '.gitmodules', blob("[submodule \"x\"]\n\tpath = x\n\turl = -uevil\n")], ['160000', 'x', $head])`,
  ),
  arriving(
    'commits a submodule whose name goes up',
    String.raw`tree(['100644', '.gitmodules', blob("[submodule \"../../x\"]\n\tpath = x\n\turl = ./x\n")], ['160000', 'x', $head])`,
  ),
  arriving(
    'commits a bare repository among its files',
    String.raw`tree(['40000', 'b', tree(['100644', 'HEAD', blob("ref: refs/heads/x\n")],
      ['100644', 'config', blob("[core]\n\tfsmonitor = touch pwned\n")],
      ['40000', 'objects', tree(['100644', 'k', $blob])], ['40000', 'refs', tree(['100644', 'k', $blob])])])`,
  ),
  arriving('commits a file with the setuid bit', `tree(['104755', 'setuid', $blob])`),
  arriving('commits a name with a line break', String.raw`tree(['100644', "a\nb", $blob])`),
  arriving('commits a name with an escape sequence', String.raw`tree(['100644', "a\e]0;x\a", $blob])`),
  arriving('commits a name with a backslash', String.raw`tree(['100644', "a\\..\\b", $blob])`),
  arriving('commits a tree of trees that unfolds to billions of files', 'bomb()'),
];

/** The program puts a commit with that tree on the branch, and says so. */
function arriving(name: string, tree: string): ContentAttempt {
  return { name, program: base => perl(`${MAKE_OBJECTS}commit(${tree});`, base) };
}

const MAKE_OBJECTS = String.raw`
my ($count, $head) = (0, $ARGV[0]);
sub store {
  my ($type, $data) = @_;
  my $file = "object-$$-" . $count++;
  open(my $out, '>:raw', $file) or held("$file: $!");
  print $out $data;
  close $out;
  my $id = qx(git hash-object -t $type -w --literally $file);
  unlink $file;
  chomp $id;
  return $id;
}
sub blob { return store('blob', $_[0]) }
sub tree { return store('tree', join '', map { "$_->[0] $_->[1]\0" . pack('H*', $_->[2]) } @_) }
sub bomb {
  my $level = tree(map { ['100644', "f$_", blob('x')] } 0 .. 9);
  $level = tree(map { ['40000', "d$_", $level] } 0 .. 9) for 1 .. 9;
  return $level;
}
sub commit {
  my ($tree) = @_;
  my $id = store('commit', "tree $tree\nparent $head\nauthor A <a\@x> 1 +0000\ncommitter A <a\@x> 1 +0000\n\nhostile\n");
  system('git', 'update-ref', 'refs/heads/carrel/a', $id) == 0 or held('update-ref');
  print "COMMITTED $id\n";
}
my $blob = blob("content\n");
`;
