import { expect, test } from 'vitest';
import { isCarrelError } from '../error/error.js';
import type { RuntimeFinding } from '../sandbox/runtime-finding.js';
import {
  decideIsolation,
  type IsolationAsker,
  type IsolationQuestion,
  type SandboxedRuntime,
  type SandboxFacts,
} from './decide-isolation.js';

const works = (runtime: SandboxedRuntime): RuntimeFinding => ({
  ...{ runtime, obstacle: null, version: '1', message: `${runtime} works`, hint: null },
  ...{ limits: [], warnings: [] },
});
const absent = (runtime: SandboxedRuntime): RuntimeFinding => ({
  ...works(runtime),
  ...{ obstacle: 'not-installed', message: `no ${runtime}` },
});

/** A machine with these runtimes, on which these candidates fail to start. */
function machine(has: readonly SandboxedRuntime[], fails: readonly string[] = []): SandboxFacts {
  const all = ['bubblewrap', 'podman', 'docker', 'seatbelt'] as const;
  const failed = fails.map(name => {
    const [runtime, image] = name.split(' ') as [SandboxedRuntime, string?];
    return { runtime, image: image ?? null, reason: `${name} failed` };
  });
  return { probed: new Map(all.map(name => [name, (has.includes(name) ? works : absent)(name)])), failed };
}

const QUESTION: IsolationQuestion = {
  requested: 'full',
  askedBy: 'default',
  isStrict: false,
  userAllowsLess: false,
  runtime: 'auto',
  image: null,
  isShapedByRepository: false,
};

/** `podman image`, `bubblewrap`, `worktree` or `refused`. */
function decide(question: Partial<IsolationQuestion>, facts: SandboxFacts): string {
  try {
    const decision = decideIsolation({ ...QUESTION, ...question }, facts);
    if (decision.kind === 'probe') return `probe ${decision.runtime}`;
    if (decision.kind === 'host') return decision.isolation.effective;
    const { runtime, image } = decision.candidate;
    return image === null ? runtime : `${runtime} ${image}`;
  } catch (error) {
    if (isCarrelError(error, 'ISOLATION_UNAVAILABLE')) return 'refused';
    throw error;
  }
}

const ASKERS: readonly IsolationAsker[] = ['default', 'user', 'flag', 'repository'];

/** The machine, and the result for each asker: one column where all get the same, otherwise in the order of ASKERS. */
const NO_IMAGE: readonly (readonly [string, SandboxFacts, ...string[]])[] = [
  ['everything', machine(['bubblewrap', 'podman', 'docker']), 'bubblewrap'],
  ['bubblewrap', machine(['bubblewrap']), 'bubblewrap'],
  ['podman', machine(['podman']), 'podman'],
  ['docker', machine(['docker']), 'docker'],
  ['a podman that fails, and docker', machine(['podman', 'docker'], ['podman']), 'docker'],
  ['a podman that fails', machine(['podman'], ['podman']), 'worktree', 'refused', 'refused', 'worktree'],
  [
    'seatbelt, which is used by name only',
    machine(['seatbelt']),
    'worktree',
    'refused',
    'refused',
    'worktree',
  ],
  ['nothing', machine([]), 'worktree', 'refused', 'refused', 'worktree'],
];

const WITH_IMAGE: readonly (readonly [string, SandboxFacts, ...string[]])[] = [
  ['everything', machine(['bubblewrap', 'podman', 'docker']), 'podman i'],
  ['bubblewrap', machine(['bubblewrap']), 'bubblewrap'],
  ['podman', machine(['podman']), 'podman i'],
  ['docker', machine(['docker']), 'docker i'],
  ['podman without the image', machine(['podman'], ['podman i']), 'podman'],
  ['podman without the image, and docker', machine(['podman', 'docker'], ['podman i']), 'docker i'],
  ['podman without the image, and bubblewrap', machine(['podman', 'bubblewrap'], ['podman i']), 'bubblewrap'],
  [
    'engines that fail, and bubblewrap',
    machine(['podman', 'docker', 'bubblewrap'], ['podman i', 'docker i', 'podman', 'docker']),
    'bubblewrap',
  ],
  [
    'an engine that fails',
    machine(['podman'], ['podman i', 'podman']),
    ...['worktree', 'refused', 'refused', 'worktree'],
  ],
  ['nothing', machine([]), 'worktree', 'refused', 'refused', 'worktree'],
];

const ROWS = [
  ...NO_IMAGE.map(row => [null, ...row] as const),
  ...WITH_IMAGE.map(row => ['i', ...row] as const),
].flatMap(([image, name, facts, ...outcomes]) =>
  ASKERS.map((askedBy, at) => ({ image, name, facts, askedBy, expected: outcomes[at] ?? outcomes[0] ?? '' })),
);

test.each(ROWS)('requested by $askedBy, with image $image, on a machine with $name: $expected', row => {
  const { image, askedBy, facts, expected } = row;
  expect(decide({ image, askedBy }, facts)).toBe(expected);
});

test('strict uses another sandbox, and never a weaker mode', () => {
  for (const askedBy of ASKERS) {
    const strict = { askedBy, isStrict: true, userAllowsLess: true };
    expect(decide(strict, machine([]))).toBe('refused');
    expect(decide({ ...strict, image: 'i' }, machine(['bubblewrap']))).toBe('bubblewrap');
  }
});

test('the user’s own file allows a weaker mode for every kind of request', () => {
  for (const askedBy of ASKERS)
    expect(decide({ askedBy, userAllowsLess: true }, machine([]))).toBe('worktree');
});

test('a sandbox that fails because of repository settings never falls back to no sandbox', () => {
  const shaped = { isShapedByRepository: true, image: 'i', userAllowsLess: true };
  for (const askedBy of ASKERS) {
    expect(decide({ ...shaped, askedBy }, machine(['podman'], ['podman i', 'podman']))).toBe('refused');
    // The repository has no influence on what is not installed.
    expect(decide({ ...shaped, askedBy }, machine([]))).toBe('worktree');
  }
});

test('a runtime chosen by the user comes first, and with strict it is the only one', () => {
  const named = { runtime: 'podman', image: 'i', askedBy: 'user' } as const;
  const everything = ['bubblewrap', 'podman', 'docker'] as const;
  expect(decide(named, machine(everything))).toBe('podman i');
  expect(decide(named, machine(everything, ['podman i']))).toBe('podman');
  expect(decide(named, machine(everything, ['podman i', 'podman']))).toBe('bubblewrap');
  expect(decide(named, machine(['docker']))).toBe('refused');
  expect(decide({ ...named, isStrict: true }, machine(everything, ['podman i']))).toBe('refused');
  expect(decide({ ...named, runtime: 'seatbelt' }, machine(everything))).toBe('refused');
  expect(decide({ ...named, runtime: 'seatbelt' }, machine(['seatbelt']))).toBe('seatbelt');
});

test('a container is an engine first, and with strict nothing else', () => {
  const container = { runtime: 'container' } as const;
  expect(decide(container, machine(['bubblewrap', 'podman', 'docker']))).toBe('podman');
  expect(decide(container, machine(['bubblewrap', 'docker']))).toBe('docker');
  expect(decide(container, machine(['bubblewrap']))).toBe('bubblewrap');
  expect(decide({ ...container, image: 'i' }, machine(['bubblewrap', 'podman'], ['podman i']))).toBe(
    'podman',
  );
  expect(decide({ ...container, isStrict: true }, machine(['bubblewrap']))).toBe('refused');
});

test('an engine that needs an image on this system is used only with one', () => {
  const probed = new Map(machine(['podman']).probed);
  probed.set('podman', { ...works('podman'), needsImage: true });
  expect(decide({ image: 'i' }, { probed, failed: [] })).toBe('podman i');
  expect(decide({}, { probed, failed: [] })).toBe('worktree');
  expect(() => decideIsolation({ ...QUESTION, isStrict: true }, { probed, failed: [] })).toThrow(
    'no bubblewrap; podman needs an image on this system; no docker',
  );
});

test('only relevant runtimes are probed', () => {
  const nothing = { probed: new Map(), failed: [] };
  expect(decide({}, nothing)).toBe('probe bubblewrap');
  expect(decide({ image: 'i' }, nothing)).toBe('probe podman');
  expect(decide({ requested: 'worktree' }, nothing)).toBe('worktree');
});
