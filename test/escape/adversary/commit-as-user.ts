import { giveTo } from '../../helpers/escape/escape-surroundings.js';
import type { EscapeFixture } from '../../helpers/escape/escape-workspace.js';
import { writeFiles } from '../../helpers/repository.js';

/** Files that are on the user's branch, as after a pull or a landing. */
export function commitAsUser(fixture: EscapeFixture, files: Record<string, string>): void {
  writeFiles(fixture.repository, files);
  giveTo(fixture.repository, fixture.uid);
  fixture.git(fixture.repository, 'add', '--force', ...Object.keys(files));
  fixture.git(fixture.repository, 'commit', '--quiet', '--message', 'files');
}
