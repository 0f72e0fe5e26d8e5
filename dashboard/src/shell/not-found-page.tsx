import { EmptyState } from '../components/page/empty-state.js';
import { PageHead } from '../components/page/page-head.js';
import { Link } from './router.js';

export function NotFoundPage() {
  return (
    <>
      <PageHead title="Not found" />
      <EmptyState title="There is no such page">
        <Link href="/">Go to the overview</Link>
      </EmptyState>
    </>
  );
}
