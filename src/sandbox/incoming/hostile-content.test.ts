import { expect, test } from 'vitest';
import { fingerprint } from '../../../test/helpers/fingerprint.js';
import { oneInSix, sampleOf, thoroughTest } from '../../../test/helpers/flavours.js';
import { git } from '../../../test/helpers/repository.js';
import {
  type HostilePush,
  makeHostilePush,
  type TreeLine,
} from '../../../test/helpers/sandbox/hostile-push.js';
import { makeTwoFaces, type TwoFaces } from '../../../test/helpers/sandbox/two-faces.js';

type MakeTree = (push: HostilePush) => string;

/** A tree with one file, link or directory more. */
const file =
  (name: string | Buffer, content = 'x', mode = '100644'): MakeTree =>
  push =>
    push.tree([[mode, name, push.blob(content)]]);

const link = (target: string): MakeTree => file('link', target, '120000');

const inFolder =
  (name: string, make: MakeTree): MakeTree =>
  push =>
    push.tree([['40000', name, make(push)]]);

const modules = (text: string): MakeTree => file('.gitmodules', text);
const module = (lines: string, name = 'sub'): MakeTree => modules(`[submodule "${name}"]\n${lines}\n`);

const refused: readonly (readonly [string, MakeTree, RegExp])[] = [
  ['.git', file('.git'), /git refused them: .*hasDotgit/],
  ['.GIT', file('.GIT'), /hasDotgit/],
  ['git~1', file('git~1'), /hasDotgit/],
  ['.git with a character that HFS+ ignores', file('.g\u200cit'), /hasDotgit/],
  ['.git with a dot at the end', file('.git.'), /hasDotgit/],
  ['..', inFolder('..', file('a')), /hasDotdot/],
  ['.', inFolder('.', file('a')), /hasDot/],
  ['a slash in a name', file('a/b'), /fullPathname/],
  ['a setuid mode', file('a', 'x', '104755'), /badFilemode/],
  ['a device', file('a', 'x', '60644'), /badFilemode/],
  [
    'a line break in a name',
    file('a\nb'),
    /"a\\nb" of commit [0-9a-f]{12} has a control character in its name/,
  ],
  ['a carriage return in a name', file('a\r'), /has a control character/],
  ['an escape sequence in a name', file('\x1b[31m'), /has a control character/],
  ['a C1 control character in a name', file('a\u009bb'), /has a control character/],
  ['a backslash in a name', file('..\\a'), /has a backslash or a colon/],
  ['a colon in a name', file('a:b'), /has a backslash or a colon/],
  ['a name of 256 bytes', file('a'.repeat(256)), /more than 255 bytes/],
  ['a path of 4,097 bytes', deep(4097), /more than 4096 bytes/],
  ['a link to an absolute path', link('/etc/passwd'), /is a link to an absolute path/],
  ['a link that leaves the repository', link('../../etc'), /leaves the repository/],
  ['a link that leaves it from a folder', inFolder('a', link('../../b')), /leaves the repository/],
  ['a link that goes up after going down', link('a/../../b'), /goes up again/],
  ['a link into .git', link('.git/hooks'), /is a link into a git directory/],
  ['a link into .GIT of a folder', inFolder('a', link('../x/.GIT/config')), /is a link into a git directory/],
  ['a link to a name with NUL', link('a\0b'), /invalid target/],
  ['a link to a very long name', link('a/'.repeat(3000)), /target that is too long/],
  ['.gitmodules as a link', file('.gitmodules', 'a', '120000'), /gitmodulesSymlink/],
  ['.gitattributes as a link', file('.gitattributes', 'a', '120000'), /gitattributesSymlink/],
  ['two names that differ in case', twins('Readme', 'readme'), /"Readme and readme" of .* are the same name/],
  ['two names that differ in normal form', twins('e\u0301', '\u00e9'), /are the same name/],
  ['a directory and a file that differ in case', caseDirectory, /"A and a" of .* are the same name/],
  [
    'an embedded bare repository',
    inFolder('deep', bareRepository),
    /"deep" of .* looks like a git repository/,
  ],
  ['a bare repository at the top', bareRepository, /looks like a git repository/],
  ['a HEAD with a commondir', inFolder('deep', pointingRepository), /looks like a git repository/],
  ['a new submodule', gitlink, /"sub" of commit \w+ is a nested repository/],
  ['a submodule url that is an option', module('path = a\nurl = -u./x'), /gitmodulesUrl|url that is not/],
  [
    'a submodule url that runs a program',
    module('path = a\nurl = ext::sh -c x'),
    /"sub" in ".gitmodules" .* url/,
  ],
  ['a submodule url on this machine', module('path = a\nurl = /home/user/secret'), /not a remote repository/],
  ['a submodule url with file:', module('path = a\nurl = file:///home'), /not a remote repository/],
  [
    'a submodule path that leaves',
    module('path = ../a\nurl = https://example.com/a'),
    /path that leads elsewhere/,
  ],
  ['a submodule path in .git', module('path = a/.git/x\nurl = https://example.com/a'), /path that leads/],
  [
    'a submodule name that leaves',
    module('path = a\nurl = https://a.example', '../a'),
    /gitmodulesName|leads elsewhere/,
  ],
  [
    'a submodule that runs a command',
    module('path = a\nupdate = !sh\nurl = https://a.example'),
    /gitmodulesUpdate|runs a command/,
  ],
];

const everySixth = refused.filter(([name], index) => index % 6 === 0 || name === 'a new submodule');

test.for(sampleOf(refused, ...everySixth))('%s is refused', async ([, make, problem], context) => {
  const faces = await makeTwoFaces(context);
  const before = fingerprint(faces.repository);
  const push = makeHostilePush(faces);
  const hostile = push.commit(make(push));
  const result = await push.push(hostile);
  const problems = expect.arrayContaining([expect.stringMatching(problem)]);
  expect(result).toEqual({ outcome: 'refused', problems });
  expectUntouched(faces, before);
  expect(push.pushPlainly(hostile), 'git with default settings accepts it').toBe(hostile);
});

const accepted: readonly (readonly [string, MakeTree])[] = [
  ['an ordinary file', file('a.txt')],
  ['a name in many letters', file('naïve 日本語 (1).txt')],
  ['a name that is no UTF-8', file(Buffer.from([0x61, 0xff, 0x62]))],
  ['a link to a file beside it', link('other')],
  ['a link upwards within the repository', inFolder('a', inFolder('b', link('../../README.md')))],
  ['a submodule from a network', module('path = libs/a\nurl = https://example.com/a.git')],
  ['a submodule beside the repository', module('path = libs/a\nurl = ../a.git')],
  ['a program', file('run', '#!/bin/sh\n', '100755')],
  ['a file named HEAD', file('HEAD')],
];

test.for(oneInSix(accepted))('%s is accepted', async ([, make], context) => {
  const faces = await makeTwoFaces(context);
  const push = makeHostilePush(faces);
  const commit = push.commit(make(push));
  expect(await push.push(commit)).toEqual({ outcome: 'imported', from: faces.base, to: commit, commits: 1 });
  expect(faces.tip()).toBe(commit);
});

test('content that the repository already has is not checked, and may stay, move and be merged', async context => {
  const faces = await makeTwoFaces(context);
  const push = makeHostilePush(faces);
  const id = push.blob('x');
  const odd: TreeLine[] = [
    ['100644', 'Readme', id],
    ['120000', 'link', push.blob('/etc/passwd')],
    ['100644', 'readme', id],
  ];
  const main = push.commit(push.tree(odd));
  git(faces.repository, 'fetch', '--quiet', push.gitDir, main);
  git(faces.repository, 'update-ref', 'refs/heads/other', main);
  const merge = push.commit(push.tree([...odd, ['100644', 'z', id]]), [faces.base, main]);
  expect(await push.push(merge)).toMatchObject({ outcome: 'imported', to: merge, commits: 1 });
});

thoroughTest(
  'a submodule that the repository has may move to a new commit but not to a new path',
  async context => {
    const faces = await makeTwoFaces(context);
    const push = makeHostilePush(faces);
    const main = push.commit(push.tree([['160000', 'sub', faces.base]]));
    git(faces.repository, 'fetch', '--quiet', push.gitDir, main);
    git(faces.repository, 'update-ref', 'refs/heads/other', main);
    const parents = [faces.base, main];
    const moved = push.commit(push.tree([['160000', 'elsewhere', main]]), parents);
    expect(await push.push(moved)).toMatchObject({
      outcome: 'refused',
      problems: [expect.stringMatching(/"elsewhere" of commit \w+ is a nested repository/)],
    });
    const later = push.commit(push.tree([['160000', 'sub', main]]), parents);
    expect(await push.push(later)).toMatchObject({ outcome: 'imported', to: later });
  },
);

thoroughTest('a merge of two names that are harmless alone is refused', async context => {
  const faces = await makeTwoFaces(context);
  const push = makeHostilePush(faces);
  const id = push.blob('x');
  const sides = ['Readme', 'readme'].map(name => push.commit(push.tree([['100644', name, id]])));
  const both = push.tree(['Readme', 'readme'].map(name => ['100644', name, id] as const));
  const result = await push.push(push.commit(both, sides));
  expect(result).toMatchObject({
    outcome: 'refused',
    problems: [expect.stringMatching(/are the same name/)],
  });
});

thoroughTest('a few trees that expand to a billion files stop the check early', async context => {
  const faces = await makeTwoFaces(context);
  const push = makeHostilePush(faces);
  let tree = push.tree([['100644', 'f', push.blob('x')]]);
  for (let depth = 0; depth < 9; depth++)
    tree = push.tree(Array.from({ length: 10 }, (_, at) => ['40000', `d${at}`, tree] as const));
  const result = await push.push(push.commit(tree));
  expect(result).toEqual({
    outcome: 'refused',
    problems: ['more than 500000 files and directories are changed'],
  });
});

thoroughTest('more commits than allowed are refused', async context => {
  const faces = await makeTwoFaces(context);
  const push = makeHostilePush(faces);
  const tree = push.tree([['100644', 'f', push.blob('x')]]);
  let tip = faces.base;
  for (let at = 0; at < 4; at++) tip = push.commit(tree, [tip]);
  expect(await push.push(tip, { limits: { commits: 3 } })).toEqual({
    outcome: 'refused',
    problems: ['there are more than 3 commits'],
  });
  expect(await push.push(tip, { limits: { commits: 4 } })).toMatchObject({ outcome: 'imported', commits: 4 });
});

test('a file that is too large is refused, and one that the repository already has may be renamed', async context => {
  const faces = await makeTwoFaces(context);
  const push = makeHostilePush(faces);
  const large = push.commit(file('large', 'x'.repeat(1001))(push));
  const limits = { fileBytes: 1000 };
  expect(await push.push(large, { limits })).toMatchObject({
    outcome: 'refused',
    problems: [expect.stringMatching(/"large" of .* has more than 1000 bytes/)],
  });
  git(faces.repository, 'fetch', '--quiet', push.gitDir, large);
  expect(await push.push(push.commit(file('moved', 'x'.repeat(1001))(push)), { limits })).toMatchObject({
    outcome: 'imported',
  });
});

function expectUntouched(faces: TwoFaces, before: Record<string, string>): void {
  expect(faces.tip()).toBe(faces.base);
  expect(fingerprint(faces.repository)).toEqual(before);
  expect(git(faces.repository, 'fsck', '--strict')).toBe('');
  expect(git(faces.repository, 'for-each-ref', 'refs/carrel', 'refs/replace')).toBe('');
}

function gitlink(push: HostilePush): string {
  return push.tree([['160000', 'sub', push.commit(push.tree([]))]]);
}

function deep(length: number): MakeTree {
  return push => {
    const name = 'a'.repeat(200);
    let tree = file('b')(push);
    for (let at = 0; at < Math.ceil(length / 201); at++) tree = push.tree([['40000', name, tree]]);
    return tree;
  };
}

function twins(...names: string[]): MakeTree {
  return push => push.tree(names.map(name => ['100644', name, push.blob('x')] as const));
}

function caseDirectory(push: HostilePush): string {
  return push.tree([
    ['40000', 'A', file('post-checkout')(push)],
    ['120000', 'a', push.blob('b')],
  ]);
}

function bareRepository(push: HostilePush): string {
  return push.tree([
    ['100644', 'HEAD', push.blob('ref: refs/heads/main\n')],
    ['100644', 'config', push.blob('[core]\n\tfsmonitor = touch /tmp/x\n')],
    ['40000', 'objects', file('keep')(push)],
    ['40000', 'refs', file('keep')(push)],
  ]);
}

function pointingRepository(push: HostilePush): string {
  return push.tree([
    ['100644', 'HEAD', push.blob('ref: refs/heads/main\n')],
    ['100644', 'commondir', push.blob('../elsewhere\n')],
  ]);
}
