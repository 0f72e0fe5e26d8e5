/** `CARREL_SOAK_SHARE=0.1 npm run test:soak` does a tenth of everything: CI's form. */
const SHARE = Number(process.env.CARREL_SOAK_SHARE ?? 1);

/** A count or a number of milliseconds, scaled; at least `least`. */
export const scaled = (whole: number, least = 1): number => Math.max(least, Math.round(whole * SHARE));

/** Which random choices are made; a soak prints what fails with it. */
export const SEED = Number(process.env.CARREL_SOAK_SEED ?? 1);
