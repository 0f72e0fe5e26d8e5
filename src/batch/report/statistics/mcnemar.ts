/**
 * McNemar's test of paired yes-or-no results, two-sided: the probability of a split at least this uneven when both
 * are equally good. Exact for every count; the usual chi-squared approximation saves nothing here.
 */
export function testMcNemar(onlyFirst: number, onlySecond: number): number {
  const discordant = onlyFirst + onlySecond;
  return Math.min(1, 2 * lowerTail(discordant, Math.min(onlyFirst, onlySecond)));
}

/** The probability of at most `most` heads among `count` tosses. In logarithms: 2 ** -1075 is 0 as a number. */
function lowerTail(count: number, most: number): number {
  let logTerm = -count * Math.LN2;
  let sum = Math.exp(logTerm);
  for (let heads = 1; heads <= most; heads++) {
    logTerm += Math.log((count - heads + 1) / heads);
    sum += Math.exp(logTerm);
  }
  return sum;
}
