export async function time(action) {
  const start = performance.now();
  await action();
  return performance.now() - start;
}

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

/** Runs every contestant in turn, `repeats` times over, so that a busy moment of the machine hits all of them. */
export async function interleave(contestants, repeats) {
  const times = Object.fromEntries(Object.keys(contestants).map(name => [name, []]));
  for (let round = 0; round < repeats; round++) {
    for (const [name, contestant] of Object.entries(contestants)) times[name].push(await contestant(round));
  }
  return Object.fromEntries(Object.entries(times).map(([name, values]) => [name, median(values)]));
}

/** One line per contestant with the ratio to the first. */
export function report(title, medians) {
  console.log(`\n${title}`);
  const [[, reference]] = Object.entries(medians);
  for (const [name, ms] of Object.entries(medians)) {
    console.log(`  ${name.padEnd(46)} ${ms.toFixed(1).padStart(9)} ms   ${(ms / reference).toFixed(2)}x`);
  }
}
