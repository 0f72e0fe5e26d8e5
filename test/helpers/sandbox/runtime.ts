import { randomBytes } from 'node:crypto';
import { chownSync, mkdirSync } from 'node:fs';
import { release } from 'node:os';
import { join } from 'node:path';
import type { ProcessIdentity } from '../../../src/domain/process-identity.js';
import { identifyProcess } from '../../../src/exec/process/identify-process.js';
import { type RunRequest, runProcess } from '../../../src/exec/run-process.js';
import type { BubblewrapRuntimeOptions } from '../../../src/runtime/bubblewrap/prepare-sandbox.js';
import { createBubblewrapRuntime } from '../../../src/runtime/bubblewrap/runtime.js';
import type { RuntimePlace } from '../../../src/runtime/contract/subject.js';
import { createHostRuntime } from '../../../src/runtime/host/runtime.js';
import type { Policy } from '../../../src/runtime/policy.js';
import { isRoot } from '../../parts/required-part.js';
import { tempDir } from '../temp.js';

/** The uid without any rights on every system. */
export const NOBODY = 65_534;

export type Caller = 'ourselves' | 'an ordinary user';

/** A bubblewrap runtime and a directory, both of a test's own. */
export function makeBubblewrapPlace(caller: Caller = 'ourselves'): RuntimePlace {
  const user = userOf(caller);
  const options = bubblewrapOptions(caller);
  return {
    runtime: createBubblewrapRuntime(options),
    other: createBubblewrapRuntime(options),
    directory: makeDirectory(user),
    user,
    root: { kind: 'machine' },
  };
}

/** The host itself, with a directory of a test's own. */
export function makeHostPlace(): RuntimePlace {
  const user = userOf('ourselves');
  return {
    runtime: createHostRuntime({ run: runProcess }),
    other: createHostRuntime({ run: runProcess }),
    directory: makeDirectory(user),
    user,
    root: { kind: 'machine' },
    ownVariables: ['CARREL_SANDBOX_ID'],
  };
}

export function bubblewrapOptions(caller: Caller = 'ourselves'): BubblewrapRuntimeOptions {
  return {
    run: caller === 'ourselves' || !isRoot ? runProcess : runAsNobody,
    path: process.env.PATH ?? '',
    untrusted: [],
    architecture: process.arch,
    kernel: release(),
    uid: userOf(caller).uid,
    self: identifyProcess(process.pid) as ProcessIdentity,
    directory: makeDirectory(userOf(caller)),
    unique: () => randomBytes(8).toString('hex'),
  };
}

/** Below a directory that everybody may pass. */
function makeDirectory({ uid, gid }: Policy['user']): string {
  const parent = tempDir();
  const directory = join(parent, 'own');
  mkdirSync(directory);
  for (const path of [directory, parent]) chownSync(path, uid, gid);
  return directory;
}

function userOf(caller: Caller): Policy['user'] {
  if (caller === 'an ordinary user' && isRoot) return { uid: NOBODY, gid: NOBODY };
  return { uid: process.getuid?.() ?? NOBODY, gid: process.getgid?.() ?? NOBODY };
}

/** The same process becomes the command, so nothing else about it differs. */
const runAsNobody = (request: RunRequest) =>
  runProcess({
    ...request,
    command: '/usr/bin/setpriv',
    args: [
      `--reuid=${NOBODY}`,
      `--regid=${NOBODY}`,
      '--clear-groups',
      '--',
      request.command,
      ...request.args,
    ],
  });
