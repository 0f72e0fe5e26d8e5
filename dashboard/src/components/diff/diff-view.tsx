import { useMemo, useRef, useState } from 'react';
import type { AutorunFile } from '../../../../src/domain/workspace/autorun-file.js';
import { findAutorunFiles } from '../../../../src/domain/workspace/autorun-files.js';
import { AutorunFiles } from '../page/autorun-files.js';
import { countOf } from '../text/amounts.js';
import { type Layout, layOut, longestLine } from './diff-rows.js';
import { DiffTable } from './diff-table.js';
import { FileList } from './file-list.js';
import { LayoutSwitch } from './layout-switch.js';
import { parsePatch } from './parse-patch.js';
import { ROW_HEIGHT } from './row-height.js';

export interface DiffProperties {
  readonly patch: string;
  /** The files of the patch when left out. */
  readonly autorunFiles?: readonly AutorunFile[];
}

/** A git patch, file by file; only the visible rows are rendered. */
export function DiffView({ patch, autorunFiles }: DiffProperties) {
  const files = useMemo(() => parsePatch(patch), [patch]);
  const [layout, setLayout] = useState<Layout>('unified');
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const rows = useMemo(() => layOut(files, closed, layout), [files, closed, layout]);
  const longest = useMemo(() => longestLine(files), [files]);
  const box = useRef<HTMLElement>(null);
  if (files.length === 0) return <p className="minor">Nothing has changed.</p>;

  const toggle = (path: string) => setClosed(before => withToggled(before, path));
  const show = (path: string) => {
    const row = rows.findIndex(each => each.kind === 'file' && each.file.path === path);
    box.current?.scrollTo({ top: row * ROW_HEIGHT });
    box.current?.focus({ preventScroll: true });
  };
  const isAllClosed = closed.size === files.length;
  const toggleAll = () => setClosed(new Set(isAllClosed ? [] : files.map(({ path }) => path)));
  const present = files.filter(({ change }) => change !== 'deleted').map(({ path }) => path);
  return (
    <div className="diff">
      <AutorunFiles files={autorunFiles ?? findAutorunFiles(present)} />
      <div className="diff-head">
        <Summary added={sum(files, 'added')} removed={sum(files, 'removed')} files={files.length} />
        <button type="button" className="quiet" onClick={toggleAll}>
          {isAllClosed ? 'Open all' : 'Close all'}
        </button>
        <LayoutSwitch layout={layout} onChange={setLayout} />
      </div>
      {files.length > 1 && <FileList files={files} onChoose={show} />}
      <DiffTable box={box} longest={longest} rows={rows} layout={layout} closed={closed} onToggle={toggle} />
    </div>
  );
}

function Summary({ files, added, removed }: Readonly<Record<'files' | 'added' | 'removed', number>>) {
  return (
    <p className="diff-summary">
      {countOf(files, 'file')}, <span className="added">+{added}</span>{' '}
      <span className="removed">−{removed}</span>
    </p>
  );
}

const sum = <Key extends string>(files: readonly Readonly<Record<Key, number>>[], key: Key): number =>
  files.reduce((total, file) => total + file[key], 0);

function withToggled(before: ReadonlySet<string>, path: string): ReadonlySet<string> {
  const after = new Set(before);
  if (!after.delete(path)) after.add(path);
  return after;
}
