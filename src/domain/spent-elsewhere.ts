/** What the attempts of a run that count have cost, and what all have. */
export interface Spending {
  readonly costUsd: number | null;
  readonly spentUsd: number | null;
}

/** Less than a tenth of a cent is how sums of the same amounts in another order differ. */
const SAME_USD = 0.001;

/** Whether attempts that had to be made again cost something that those that count do not tell of. */
export const isSpentElsewhere = ({ costUsd, spentUsd }: Spending): boolean =>
  spentUsd !== null && spentUsd - (costUsd ?? 0) > SAME_USD;
