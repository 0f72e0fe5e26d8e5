// Bundles TypeScript for `bundle.ts`. The arguments: what goes in and what comes out, as JSON.
import { rolldown } from 'rolldown';

const [input, output] = process.argv.slice(2).map(text => JSON.parse(text));
const bundle = await rolldown({
  input,
  platform: 'node',
  external: ['libsql', /\/dist\/index\.js$/],
  resolve: { extensionAlias: { '.js': ['.ts', '.js'] } },
  logLevel: 'silent',
});
await bundle.write({ format: 'esm', ...output });
await bundle.close();
