import { Component, type ReactNode } from 'react';
import { PageHead } from '../components/page-head.js';
import { ProblemView } from '../components/problem-view.js';

/** A page that can't show what it got, such as that of a newer server, says so, and the menu stays. */
export class PageBoundary extends Component<{ readonly children: ReactNode }, { error?: Error }> {
  override state: { error?: Error } = {};

  static getDerivedStateFromError(error: unknown): { error: Error } {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (!error) return this.props.children;
    return (
      <>
        <PageHead
          title="This page can not be shown"
          note="Another version of Carrel may be running by now."
        />
        <ProblemView error={error} onRetry={() => location.reload()} />
      </>
    );
  }
}
