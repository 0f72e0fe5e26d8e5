/** The cost of the attempts that count, and of all attempts. */
export interface Spending {
  readonly costUsd: number | null;
  readonly spentUsd: number | null;
}

/** Sums of the same amounts in another order differ by less than a tenth of a cent. */
const SAME_USD = 0.001;

/** Whether repeated attempts added costs beyond the attempts that count. */
export const isSpentElsewhere = ({ costUsd, spentUsd }: Spending): boolean =>
  spentUsd !== null && spentUsd - (costUsd ?? 0) > SAME_USD;
