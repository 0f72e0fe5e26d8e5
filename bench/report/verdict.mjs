import { formatDuration, formatRatio } from './format-value.mjs';

/** The last words of a run: what is slower than its target. */
export function formatVerdict(verdicts) {
  const of = verdict => verdicts.filter(each => each.verdict === verdict);
  const [met, missed, unmeasured] = [of('met'), of('missed'), of('not measured')];
  const failed = unmeasured.filter(({ reason }) => reason !== null);
  const lines = [`${met.length} of ${met.length + missed.length} targets met.`];
  if (missed.length > 0) lines.push('Slower than its target:', ...missed.map(formatMiss));
  if (failed.length > 0) lines.push('Could not be measured:', ...failed.map(formatFailed));
  const left = unmeasured.length - failed.length;
  if (left > 0) lines.push(`${left} other targets are not part of this run.`);
  return lines.join('\n');
}

function formatMiss({ name, size, kind, found, atMost, reference }) {
  const [is, limit] = [found, atMost].map(value => formatLimit(value, kind));
  const to = kind === 'ratio' ? ` of "${reference}"` : kind === 'growth' ? ' from S to L' : '';
  return `  ${name} on ${size}: ${is}${to}, target ${limit}`;
}

function formatFailed({ name, size, kind, atMost, reason }) {
  return `  ${name} on ${size} (target ${formatLimit(atMost, kind)}): ${reason}`;
}

function formatLimit(value, kind) {
  if (kind === 'ms') return formatDuration(value);
  return kind === 'median' ? String(value) : formatRatio(value);
}
