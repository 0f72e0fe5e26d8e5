/** Pixels of a line; as --line-height in styles/diff.css. */
export const ROW_HEIGHT = 20;
