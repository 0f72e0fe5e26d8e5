import type { AutorunFile } from '../../../../src/domain/workspace/autorun-file.js';
import { visibleText } from '../text/visible-text.js';

/** Files that run automatically are listed before all other changes. */
export function AutorunFiles({ files }: { readonly files: readonly AutorunFile[] }) {
  if (files.length === 0) return null;
  return (
    <div className="banner warning">
      <p>
        <strong>Files that run automatically were added or changed.</strong> Review them before you open the
        directory.
      </p>
      <ul>
        {files.map(({ path, runs }) => (
          <li key={path}>
            <code>{visibleText(path)}</code>: {runs}
          </li>
        ))}
      </ul>
    </div>
  );
}
