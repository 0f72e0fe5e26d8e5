/** A record is a path at most, or the ids of all parents of a merge. */
const LONGEST_RECORD = 1024 ** 2;

/** Cuts what comes in pieces into records that end with NUL, as byte strings. */
export function createRecordSplitter(onRecord: (record: string) => void): (chunk: Buffer) => void {
  let rest = '';
  return chunk => {
    const records = `${rest}${chunk.toString('latin1')}`.split('\0');
    rest = records.pop() ?? '';
    if (rest.length > LONGEST_RECORD) throw new RangeError('a record of more than a mebibyte');
    for (const record of records) onRecord(record);
  };
}
