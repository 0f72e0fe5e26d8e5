/**
 * What the journal proves, with every finding in words. `held` are the ids of all objects that snapshots lead to, and
 * `leftovers` what is not as it was before.
 */
export function judge(entries, { held, leftovers }) {
  const of = event => entries.filter(entry => entry.event === event);
  const findings = {
    'double hand-outs': findDoubleHandOuts(entries),
    leaks: of('leak').map(({ lease, slot, what }) => `${slot} was not clean for ${lease}: ${what}`),
    lost: findLost(entries, held),
    failures: [...of('failure'), ...of('died')].map(({ what, pid }) => `process ${pid}: ${what}`),
    leftovers,
  };
  return {
    findings: Object.entries(findings).flatMap(([kind, lines]) => lines.map(line => `${kind}: ${line}`)),
    line: formatVerdict(findings, {
      leases: of('handed').length,
      kills: of('killing').length,
      quarantined: of('released').filter(({ status }) => status === 'quarantined').length,
    }),
    hasPassed: Object.values(findings).every(lines => lines.length === 0),
  };
}

/** A hand-out ends when its holder says that it gives back or leaves, or when we say that we kill the holder. */
function findDoubleHandOuts(entries) {
  const holders = new Map();
  const found = [];
  for (const entry of entries) {
    if (entry.event === 'handed') {
      const holder = holders.get(entry.slot);
      if (holder) found.push(`${entry.slot} was handed to ${entry.lease} while ${holder.lease} had it`);
      holders.set(entry.slot, entry);
    }
    const isOver = endOf(entry);
    for (const [slot, holder] of holders) if (isOver(holder)) holders.delete(slot);
  }
  return found;
}

function endOf({ event, lease, target, pid }) {
  switch (event) {
    case 'releasing':
      return holder => holder.lease === lease;
    case 'killing':
    case 'died':
      return holder => holder.pid === target;
    case 'leaving':
      return holder => holder.pid === pid;
    default:
      return () => false;
  }
}

/** Work of every lease that did not say that it may go: what was given back with it, and what a kill interrupted. */
function findLost(entries, held) {
  const discarded = new Set(
    entries
      .filter(({ event, work }) => event === 'releasing' && work === 'discard')
      .map(({ lease }) => lease),
  );
  return entries
    .filter(({ event, lease, id }) => event === 'work' && !discarded.has(lease) && !held.has(id))
    .map(({ lease, id, what }) => `${what} of ${lease} is in no snapshot (${id})`);
}

/** A slot in quarantine is not a failure, since it is never handed out; but it is reported. */
function formatVerdict(findings, { leases, kills, quarantined }) {
  const count = (number, words) => `${number.toLocaleString('en')} ${words}`;
  return [
    `soak: ${count(leases, 'leases')}`,
    count(kills, 'kills'),
    ...['double hand-outs', 'leaks', 'lost'].map(kind => count(findings[kind].length, kind)),
    ...(quarantined > 0 ? [count(quarantined, 'quarantined')] : []),
    ...(findings.failures.length > 0 ? [count(findings.failures.length, 'failures')] : []),
    findings.leftovers.length === 0 ? 'drained clean' : count(findings.leftovers.length, 'leftovers'),
  ].join(', ');
}
