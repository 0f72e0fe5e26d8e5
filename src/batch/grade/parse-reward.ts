/**
 * A number, or JSON: a number, `{"reward": n}`, or several rewards by name as Harbor has them, whose mean counts.
 */
export function parseReward(text: string): number | undefined {
  const trimmed = text.trim();
  const value = toValue(trimmed);
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  const rewards: unknown[] = 'reward' in value ? [value.reward] : Object.values(value);
  const numbers = rewards.filter(reward => typeof reward === 'number');
  if (numbers.length === 0 || numbers.length < rewards.length) return undefined;
  return numbers.reduce((sum, reward) => sum + reward, 0) / numbers.length;
}

function toValue(text: string): unknown {
  if (/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text)) return Number(text);
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
