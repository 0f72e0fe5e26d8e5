/** Writes the next chunk of a text; the following one waits for it. */
export type Write = (text: string) => Promise<void> | void;
