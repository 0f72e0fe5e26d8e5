import type { ReactNode } from 'react';
import { visibleText } from './visible-text.js';

/** Makes hidden characters visible in names such as those of branches and files; anything but text stays unchanged. */
export const namedText = (content: ReactNode): ReactNode =>
  typeof content === 'string' ? visibleText(content) : content;
