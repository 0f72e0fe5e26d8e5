import { Dialog } from '../components/field/dialog.js';
import { PAGES } from './pages.js';

const KEYS: readonly (readonly [string, string])[] = [
  ...PAGES.flatMap(({ menu }) => (menu ? [[`g ${menu.key}`, `go to ${menu.label}`] as const] : [])),
  ['/', 'filter the table'],
  ['n', 'new task, on the tasks page'],
  ['j / k', 'next and previous row'],
  ['Enter', 'open the row'],
  ['Esc', 'close a dialog, leave the filter'],
  ['?', 'show these keys'],
];

export function KeysDialog({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl className="keys">
        {KEYS.map(([keys, meaning]) => (
          <div key={keys}>
            <dt>
              {keys
                .split(' ')
                .map(part => (part === '/' && keys !== '/' ? ' / ' : <kbd key={part}>{part}</kbd>))}
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
