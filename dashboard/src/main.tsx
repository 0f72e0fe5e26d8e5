import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createServerLink } from './server/server-link.js';
import { ServerProvider } from './server/server-provider.js';
import { takeKeyFromAddress } from './server/session-key.js';
import { App } from './shell/app.js';
import { applyTheme, rememberedTheme } from './shell/theme.js';
import './styles/tokens.css';
import './styles/base.css';
import './styles/shell.css';
import './styles/controls.css';
import './styles/table.css';
import './styles/parts.css';
import './styles/diff.css';
import './styles/log.css';
import './styles/tasks.css';
import './styles/batches.css';
import './styles/fleet.css';
import './styles/print.css';

takeKeyFromAddress();
applyTheme(rememberedTheme());
const root = document.getElementById('root');
if (!root) throw new Error('index.html has no element with the id root');
createRoot(root).render(
  <StrictMode>
    <ServerProvider link={createServerLink()}>
      <App />
    </ServerProvider>
  </StrictMode>,
);
