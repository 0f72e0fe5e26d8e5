import { useEffect, useRef } from 'react';
import { useServer } from '../server/server-provider.js';
import { useOverview } from './overview-provider.js';
import { PAGES } from './pages.js';
import { Link, usePath } from './router.js';
import { ThemeSwitch } from './theme-switch.js';

export function Menu({ showKeys }: { readonly showKeys: () => void }) {
  const path = usePath();
  const { signOut } = useServer();
  const version = useOverview().data?.version;
  const pages = useRef<HTMLElement>(null);
  // On a narrow screen the menu scrolls sideways.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another path is another current page.
  useEffect(() => {
    pages.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [path]);
  return (
    <header className="menu">
      <Link href="/" className="brand">
        <img src="/favicon.svg" alt="" width="22" height="22" />
        Carrel
      </Link>
      <nav aria-label="Pages" ref={pages}>
        <ul>
          {PAGES.map(
            page =>
              page.menu && (
                <li key={page.path}>
                  <Link
                    href={page.path}
                    aria-current={isWithin(path, page.path) ? 'page' : undefined}
                    aria-keyshortcuts={`g ${page.menu.key}`}
                  >
                    {page.menu.label}
                  </Link>
                </li>
              ),
          )}
        </ul>
      </nav>
      <div className="menu-foot">
        <ThemeSwitch />
        <button type="button" className="quiet" aria-keyshortcuts="?" onClick={showKeys}>
          Keys <kbd>?</kbd>
        </button>
        <button type="button" className="quiet" onClick={() => void signOut().catch(() => undefined)}>
          Sign out
        </button>
        <span className="version">{version ? `v${version}` : ''}</span>
      </div>
    </header>
  );
}

const isWithin = (path: string, page: string): boolean =>
  path === page || (page !== '/' && path.startsWith(`${page}/`));
