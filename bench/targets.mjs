/**
 * What has to hold. `ratio` is to the figure's reference in the same run, `ms` is absolute, `growth` is from the small
 * repository to the large.
 */
const targets = [
  { group: 'start', name: 'carrel --version', size: 'S', ratio: 1.5 },
  { group: 'create', name: 'carrel up, cold', size: 'S', ratio: 1 },
  { group: 'create', name: 'carrel up, cold', size: 'L', ratio: 0.8 },
  { group: 'create', name: 'carrel up, with a spare', size: 'M', ratio: 0.2 },
  { group: 'create', name: 'carrel up, with a spare', size: 'L', ratio: 0.1 },
  { group: 'create', name: 'acquire, same commit', size: 'S', ms: 100 },
  { group: 'create', name: 'acquire, near commit', size: 'M', ratio: 0.06 },
  { group: 'create', name: 'acquire, near commit', size: 'L', ratio: 0.05 },
  { group: 'create', name: 'overlay acquire', size: 'S', ms: 30 },
  { group: 'create', name: 'overlay acquire', size: 'M', ms: 30 },
  { group: 'create', name: 'overlay acquire', size: 'L', ms: 30 },
  { group: 'create', name: 'overlay acquire', size: 'L', growth: 2 },
  ...['S', 'M', 'L'].flatMap(size => [
    { group: 'reset', name: 'reset, work kept', size, ratio: 1.3 },
    { group: 'reset', name: 'reset, work discarded', size, ratio: 1.3 },
  ]),
  { group: 'reset', name: 'overlay reset, work kept', size: 'L', ratio: 0.15 },
  { group: 'reset', name: 'overlay reset, work discarded', size: 'L', ratio: 0.15 },
  { group: 'provider', name: 'provider.reset', size: 'S', ratio: 1.3 },
  { group: 'provider', name: 'provider.reset', size: 'S', ms: 50 },
  { group: 'provider', name: 'provider.reset', size: 'M', ratio: 1 },
  { group: 'provider', name: 'provider.reset', size: 'L', ratio: 0.2 },
  { group: 'batch', name: 'attempt of an agent that does nothing', size: 'S', ratio: 2 },
  { group: 'batch', name: 'attempt of an agent that does nothing', size: 'M', ratio: 0.3 },
  { group: 'remove', name: 'carrel down, clean', size: 'L', ratio: 0.2 },
  ...['bubblewrap runtime, true', 'execInWorkspace, full', 'carrel exec, full'].map(name => ({
    group: 'added',
    name,
    size: 'S',
    ms: 40,
  })),
  { group: 'container', name: 'podman runtime, true', size: 'S', ratio: 1.3 },
  { group: 'container', name: 'docker runtime, true', size: 'S', ratio: 1.3 },
  { group: 'take-back', name: 'take-back, with all checks', size: 'S', ms: 1000 },
  { group: 'take-back', name: 'take-back, with all checks', size: 'M', ms: 1000 },
  { group: 'failures', name: '16 times carrel up', size: 'S', median: 0 },
  { group: 'failures', name: '16 times carrel up', size: 'M', median: 0 },
];

/** Every target with the figure that was found for it: `met`, `missed` or `not measured`. */
export function judgeTargets(figures) {
  return targets.map(({ group, name, size, ...limit }) => {
    const [[kind, atMost]] = Object.entries(limit);
    const figure = figures.find(each => each.group === group && each.name === name && each.size === size);
    const found = (kind === 'ms' ? figure?.median : figure?.[kind]) ?? null;
    const verdict = found === null ? 'not measured' : found <= atMost ? 'met' : 'missed';
    return {
      group,
      name,
      size,
      kind,
      atMost,
      found,
      verdict,
      reference: figure?.reference ?? null,
      reason: figure?.failure ?? null,
    };
  });
}
