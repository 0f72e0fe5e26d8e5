/** What the figures are gathered under, in the order of the table. */
export const groups = {
  start: 'Start of a command',
  create: 'Get a workspace',
  item: 'One item of a batch that changes nothing',
  reset: 'Back to clean after 20 edits, 200 new files and 2,000 build files',
  remove: 'Remove a clean workspace',
  include: 'With 40,000 ignored files brought along',
  parallel: '16 at once',
  failures: 'Failures of 16 at once',
  list: 'Look at many workspaces',
  bytes: 'Bytes of one more workspace',
  'git processes': 'Git processes of one operation (and afterwards in the background)',
  'store commits': 'Commits to the store of one operation (and afterwards in the background)',
};
