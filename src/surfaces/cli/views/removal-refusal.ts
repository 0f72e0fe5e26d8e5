import type { CarrelError } from '../../../domain/error/error.js';
import type { Risk } from '../../../domain/workspace/risk.js';
import { printable } from '../terminal/printable.js';

const MOST_ITEMS = 10;

/** A REMOVAL_REFUSED or RESET_REFUSED error: what was kept, then each risk with what would be lost. */
export function formatRefusal(error: CarrelError): string {
  const { name, risks } = error.details as { name: string; risks: readonly Risk[] };
  const lines = risks.flatMap(formatRisk).map(line => `  ${line}`);
  return [`${printable(name)} was kept; nothing was changed`, ...lines].join('\n');
}

/** One line with the risk's message, and a second with what would be lost if the message does not name it all. */
export function formatRisk({ message, items }: Risk): string[] {
  if (items.every(item => message.includes(item))) return [printable(message)];
  const shown = items.slice(0, MOST_ITEMS).map(printable).join(', ');
  const more = items.length > MOST_ITEMS ? ` and ${items.length - MOST_ITEMS} more` : '';
  return [printable(message), `  ${shown}${more}`];
}
