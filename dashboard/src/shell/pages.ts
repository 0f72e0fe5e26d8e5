import { AttemptPage } from '../pages/batches/attempt/attempt-page.js';
import { BatchPage } from '../pages/batches/batch/batch-page.js';
import { BatchesPage } from '../pages/batches/batches-page.js';
import { ComparisonPage } from '../pages/batches/comparison/comparison-page.js';
import { ConfigurationPage } from '../pages/configuration/configuration-page.js';
import { DoctorPage } from '../pages/doctor/doctor-page.js';
import { FleetPage } from '../pages/fleet/fleet-page.js';
import { OverviewPage } from '../pages/overview/overview-page.js';
import { SnapshotsPage } from '../pages/snapshots/snapshots-page.js';
import { TaskPage } from '../pages/tasks/task/task-page.js';
import { TasksPage } from '../pages/tasks/tasks-page.js';
import { WorkspacePage } from '../pages/workspaces/workspace-page.js';
import { WorkspacesPage } from '../pages/workspaces/workspaces-page.js';
import type { Page } from './page.js';

/** All pages, in the order of the menu. */
export const PAGES: readonly Page[] = [
  { path: '/', title: 'Overview', menu: { label: 'Overview', key: 'o' }, content: OverviewPage },
  { path: '/tasks', title: 'Tasks', menu: { label: 'Tasks', key: 't' }, content: TasksPage },
  { path: '/tasks/:id', title: 'Task', content: TaskPage },
  {
    path: '/workspaces',
    title: 'Workspaces',
    menu: { label: 'Workspaces', key: 'w' },
    content: WorkspacesPage,
  },
  { path: '/workspaces/:id', title: 'Workspace', content: WorkspacePage },
  { path: '/batches', title: 'Batches', menu: { label: 'Batches', key: 'b' }, content: BatchesPage },
  { path: '/batches/compare', title: 'Comparison', content: ComparisonPage },
  { path: '/batches/:id', title: 'Batch', content: BatchPage },
  { path: '/batches/:id/:task/:attempt', title: 'Attempt', content: AttemptPage },
  { path: '/fleet', title: 'Fleet', menu: { label: 'Fleet', key: 'f' }, content: FleetPage },
  { path: '/snapshots', title: 'Snapshots', menu: { label: 'Snapshots', key: 's' }, content: SnapshotsPage },
  { path: '/doctor', title: 'Doctor', menu: { label: 'Doctor', key: 'd' }, content: DoctorPage },
  {
    path: '/configuration',
    title: 'Configuration',
    menu: { label: 'Configuration', key: 'c' },
    content: ConfigurationPage,
  },
];
