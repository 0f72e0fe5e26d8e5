import { Component, type ReactNode } from 'react';
import { PageHead } from '../components/page/page-head.js';
import { ProblemView } from '../components/page/problem-view.js';

/** A page that can't show its data, such as from a newer server, reports it, and the menu stays. */
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
        <PageHead title="This page cannot be shown" note="The server may run another version of Carrel." />
        <ProblemView error={error} onRetry={() => location.reload()} />
      </>
    );
  }
}
