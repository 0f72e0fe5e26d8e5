import { ConfigurationPage } from '../pages/configuration/configuration-page.js';
import { DoctorPage } from '../pages/doctor/doctor-page.js';
import { OverviewPage } from '../pages/overview/overview-page.js';
import { SnapshotsPage } from '../pages/snapshots/snapshots-page.js';
import { WorkspacePage } from '../pages/workspaces/workspace-page.js';
import { WorkspacesPage } from '../pages/workspaces/workspaces-page.js';
import type { Page } from './page.js';

/** All pages, in the order of the menu. */
export const PAGES: readonly Page[] = [
  { path: '/', title: 'Overview', menu: { label: 'Overview', key: 'o' }, content: OverviewPage },
  {
    path: '/workspaces',
    title: 'Workspaces',
    menu: { label: 'Workspaces', key: 'w' },
    content: WorkspacesPage,
  },
  { path: '/workspaces/:id', title: 'Workspace', content: WorkspacePage },
  { path: '/snapshots', title: 'Snapshots', menu: { label: 'Snapshots', key: 's' }, content: SnapshotsPage },
  { path: '/doctor', title: 'Doctor', menu: { label: 'Doctor', key: 'd' }, content: DoctorPage },
  {
    path: '/configuration',
    title: 'Configuration',
    menu: { label: 'Configuration', key: 'c' },
    content: ConfigurationPage,
  },
];
