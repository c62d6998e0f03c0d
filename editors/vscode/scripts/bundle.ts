// Bundles the extension and its panel into dist/. `--production` leaves out source maps.
import { build, type BuildOptions } from 'esbuild';

const production = process.argv.includes('--production');
const shared: BuildOptions = {
  bundle: true,
  minify: production,
  sourcemap: production ? false : 'linked',
  legalComments: 'external',
  logLevel: 'warning',
};

await Promise.all([
  build({
    ...shared,
    entryPoints: ['src/extension.ts'],
    outfile: 'dist/extension.cjs',
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    external: ['vscode'],
  }),
  build({
    ...shared,
    entryPoints: { panel: 'src/panel/web/main.ts', 'panel-style': 'src/panel/web/panel.css' },
    outdir: 'dist',
    platform: 'browser',
    target: 'es2022',
    format: 'iife',
  }),
]);
