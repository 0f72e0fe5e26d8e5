import { useEffect, useRef, useState } from 'react';
import { ConnectionBanner } from './connection-banner.js';
import { KeysDialog } from './keys-dialog.js';
import { Menu } from './menu.js';
import { NotFoundPage } from './not-found-page.js';
import { OverviewProvider } from './overview-provider.js';
import { PageBoundary } from './page-boundary.js';
import { PAGES } from './pages.js';
import { matchPath, usePath } from './router.js';
import { useShortcuts } from './shortcuts.js';

export function App() {
  const path = usePath();
  const { page, parameters } = findPage(path);
  const [isShowingKeys, setShowingKeys] = useState(false);
  const main = useRef<HTMLElement>(null);
  useShortcuts({ showKeys: () => setShowingKeys(true) });
  useArrival(path, page?.title ?? 'Not found', main);
  const Content = page?.content ?? NotFoundPage;
  return (
    <OverviewProvider>
      <a className="skip-link" href="#main">
        Skip to content
      </a>
      <div className="shell">
        <Menu showKeys={() => setShowingKeys(true)} />
        <main id="main" ref={main} tabIndex={-1}>
          <ConnectionBanner />
          <PageBoundary key={path}>
            <Content parameters={parameters} />
          </PageBoundary>
        </main>
      </div>
      {isShowingKeys && <KeysDialog onClose={() => setShowingKeys(false)} />}
    </OverviewProvider>
  );
}

function findPage(path: string) {
  for (const page of PAGES) {
    const parameters = matchPath(page.path, path);
    if (parameters) return { page, parameters };
  }
  return { page: undefined, parameters: {} };
}

/** A screen reader announces a new page like a loaded one: by its title and the focus. */
function useArrival(path: string, title: string, main: React.RefObject<HTMLElement | null>): void {
  const last = useRef(path);
  useEffect(() => {
    document.title = `${title} · Carrel`;
    if (last.current === path) return;
    last.current = path;
    window.scrollTo(0, 0);
    main.current?.focus({ preventScroll: true });
  }, [path, title, main]);
}
