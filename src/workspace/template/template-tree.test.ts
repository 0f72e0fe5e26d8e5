import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { thoroughTest } from '../../../test/helpers/flavours.js';
import { testGit } from '../../../test/helpers/git/test-git.js';
import { commitFiles, git, makeRepository } from '../../../test/helpers/repository.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { currentRealm } from '../../exec/process/identify-process.js';
import { evictAllTemplates, evictTemplates } from './template-eviction.js';
import { holdTemplate, type TemplateRequest, templatesOf } from './template-place.js';
import { ensureTemplate, findTemplate, type TemplateTree } from './template-tree.js';

const FILES = { 'a.txt': 'a\n', 'dir/b.txt': 'b\n', '.gitattributes': '*.txt text\n' };

function prepare(): TemplateRequest {
  const repository = makeRepository(FILES);
  const commonDir = join(repository, '.git');
  const commit = git(repository, 'rev-parse', 'HEAD');
  return { root: tempDir(), repositoryId: 'repository', repository, commonDir, commit };
}

const ensure = (request: TemplateRequest) => ensureTemplate(testGit(), request);
const find = (request: TemplateRequest) => findTemplate(testGit(), request);
const pins = ({ repository }: TemplateRequest) =>
  git(repository, 'for-each-ref', '--format=%(objectname)', 'refs/carrel/templates')
    .split('\n')
    .filter(Boolean);

/** What git says when it compares the files with the index by their numbers alone. */
function findStale({ commonDir }: TemplateRequest, { tree, indexFile }: TemplateTree): Promise<string> {
  return testGit().text(['diff-files', '--name-only'], { gitDir: commonDir, workTree: tree, indexFile });
}

async function commitAnother(request: TemplateRequest, text: string): Promise<TemplateRequest> {
  return { ...request, commit: commitFiles(request.repository, { 'a.txt': text }, text) };
}

test('a template has the files of its commit, and a matching, newer index', async () => {
  const request = prepare();
  expect(await find(request)).toBeUndefined();
  const template = await ensure(request);
  expect(readdirSync(template.tree).sort()).toEqual(['.gitattributes', 'a.txt', 'dir']);
  expect(readFileSync(join(template.tree, 'dir/b.txt'), 'utf8')).toBe('b\n');
  expect(await findStale(request, template)).toBe('');
  const second = (path: string) => Math.floor(lstatSync(path).mtimeMs / 1000);
  expect(second(template.indexFile)).toBeGreaterThan(second(join(template.tree, 'a.txt')));
  expect(await find(request)).toEqual(template);
  expect(pins(request)).toEqual([request.commit]);
  expect(git(request.repository, 'status', '--porcelain')).toBe('');
});

test('concurrent creation makes one template', async () => {
  const request = prepare();
  const made = await Promise.all([ensure(request), ensure(request), ensure(request)]);
  expect(new Set(made.map(({ directory }) => directory)).size).toBe(1);
  expect(readdirSync(templatesOf(request))).toEqual([basename(made[0]?.directory ?? '')]);
});

test('another line ending configuration gives another template', async () => {
  const request = prepare();
  const before = await ensure(request);
  git(request.repository, 'config', 'core.autocrlf', 'true');
  expect(await find(request)).toBeUndefined();
  const after = await ensure(request);
  expect(readFileSync(join(after.tree, 'a.txt'), 'utf8')).toBe('a\r\n');
  expect(readFileSync(join(before.tree, 'a.txt'), 'utf8')).toBe('a\n');
});

test('after a restart of the machine it is compared with its index once, and a broken one is recreated', async () => {
  const request = prepare();
  const template = await ensure(request);
  const proof = join(template.directory, 'boot');
  writeFileSync(proof, 'another boot');
  expect(await find(request)).toEqual(template);
  expect(readFileSync(proof, 'utf8')).toBe(currentRealm().split(' ')[0]);
  writeFileSync(proof, 'another boot');
  writeFileSync(join(template.tree, 'a.txt'), '');
  expect(await find(request)).toBeUndefined();
  expect(readFileSync(join((await ensure(request)).tree, 'a.txt'), 'utf8')).toBe('a\n');
});

test('drafts of dead processes are removed, and those of running ones are kept', async () => {
  const request = prepare();
  await ensure(request);
  const namespace = /\[(\d+)\]/.exec(currentRealm())?.[1] ?? '0';
  const dead = join(templatesOf(request), `carrel-4194399-${namespace}-abcdef`);
  const alive = join(templatesOf(request), `carrel-${process.pid}-${namespace}-abcdef`);
  for (const path of [dead, alive]) mkdirSync(join(path, 'template'), { recursive: true });
  await evictTemplates(testGit(), request);
  expect([dead, alive].map(path => existsSync(path))).toEqual([false, true]);
});

thoroughTest('with more than two unused templates, the longest unused are removed first', async () => {
  const first = prepare();
  const requests = [first];
  for (const text of ['second', 'third', 'fourth']) requests.push(await commitAnother(first, text));
  const user = join(first.root, 'user');
  mkdirSync(user);
  const templates: TemplateTree[] = [];
  for (const [index, request] of requests.entries()) {
    const template = await ensure(request);
    utimesSync(template.directory, 1000 + index, 1000 + index);
    templates.push(template);
    if (request === first) await holdTemplate(template.directory, 'somebody', user);
  }
  await evictTemplates(testGit(), first);
  const left = () => templates.map(({ directory }) => existsSync(directory));
  expect(left()).toEqual([true, false, true, true]);
  expect(pins(first).sort()).toEqual([0, 2, 3].map(index => requests[index]?.commit).sort());
  await evictAllTemplates(testGit(), first);
  expect(left()).toEqual([true, false, false, false]);
  rmSync(user, { recursive: true });
  await evictAllTemplates(testGit(), first);
  expect(readdirSync(first.root)).toEqual([]);
  expect(pins(first)).toEqual([]);
});

test('a pin that another root needs stays when this one has no more templates', async () => {
  const request = prepare();
  const other = { ...request, root: tempDir() };
  await ensure(request);
  await ensure(other);
  await evictAllTemplates(testGit(), request);
  expect(pins(request)).toEqual([request.commit]);
  expect(await find(other)).toBeDefined();
});
