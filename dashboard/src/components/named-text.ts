import type { ReactNode } from 'react';
import { visibleText } from './visible-text.js';

/** Names that others gave, such as those of branches and files, hide nothing; what is no plain text stays as it is. */
export const namedText = (content: ReactNode): ReactNode =>
  typeof content === 'string' ? visibleText(content) : content;
