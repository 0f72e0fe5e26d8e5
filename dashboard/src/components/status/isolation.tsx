import type { IsolationMode } from '../../../../src/domain/isolation.js';
import { Badge } from './badge.js';

export interface IsolationProperties {
  readonly requested: IsolationMode;
  /** Null before the workspace exists. */
  readonly effective: IsolationMode | null;
}

/** The effective mode, and the requested one when they differ. */
export function Isolation({ requested, effective }: IsolationProperties) {
  if (effective === null || effective === requested) return <Badge>{requested}</Badge>;
  return (
    <Badge tone="warning">
      {effective}, not {requested}
    </Badge>
  );
}
