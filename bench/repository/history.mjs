import { seededRandom } from './seeded-random.mjs';
import { createSourceText } from './source-text.mjs';

const FILES_PER_FOLDER = 14;
const FOLDERS_PER_PACKAGE = 40;
const FIRST_DAY = 1_700_000_000;

/** A history for `git fast-import`: the first commit brings all files, each later one changes a few. */
export function* writeHistory(size) {
  const random = seededRandom(size.files);
  const text = createSourceText(size.files + 1);
  const bytesOf = () => Math.ceil((size.bytes / size.files) * -Math.log(1 - random()));
  yield* commit(0, 'all files');
  yield* file('100644', '.gitignore', Buffer.from('node_modules/\nbuild/\n.env\n'));
  for (let index = 1; index < size.files; index++) {
    yield* file(modeOf(index), pathOf(index), text(`${index}`, bytesOf()));
  }
  for (let number = 1; number < size.commits; number++) {
    yield* commit(number, `change ${number}`);
    for (const index of chooseChanged(size, random)) {
      yield* file(modeOf(index), pathOf(index), text(`${index} in ${number}`, bytesOf()));
    }
  }
  yield Buffer.from('done\n');
}

function* commit(number, subject) {
  const who = `Bench <bench@example.com> ${FIRST_DAY + number * 3600} +0000`;
  const lines = [`commit refs/heads/main`, `committer ${who}`, `data ${Buffer.byteLength(subject)}`, subject];
  yield Buffer.from(`${lines.join('\n')}\n`);
}

function* file(mode, path, content) {
  yield Buffer.from(`M ${mode} inline ${path}\ndata ${content.length}\n`);
  yield content;
  yield Buffer.from('\n');
}

/** Packages with folders of a dozen files, four levels deep, as large repositories have them. */
export function pathOf(index) {
  const folder = Math.floor(index / FILES_PER_FOLDER);
  const area = ['src', 'lib', 'test', 'docs'][folder % 4];
  const ending = ['ts', 'ts', 'c', 'h', 'json', 'md'][index % 6];
  return `packages/p${Math.floor(folder / FOLDERS_PER_PACKAGE)}/${area}/f${folder}/file-${index}.${ending}`;
}

const modeOf = index => (index % 100 === 7 ? '100755' : '100644');

/** Most changes hit the same tenth of the files, as they do in practice. */
function chooseChanged({ files, changesPerCommit }, random) {
  const chosen = new Set();
  while (chosen.size < changesPerCommit) {
    const isHot = random() < 0.8;
    const index = isHot ? Math.floor((random() * files) / 10) * 10 + 1 : Math.floor(random() * files);
    if (index > 0 && index < files) chosen.add(index);
  }
  return chosen;
}
