/** Milliseconds. Each story has a dozen commands, and some of them look at what is made to be slow. */
export const STORY_MS = 300_000;
