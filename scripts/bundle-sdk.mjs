// Bundles the SDK as it is published: one file for each entry, with everything that it needs from this repository.
import { join } from 'node:path'
import { build } from 'esbuild'
import { root } from './prepare.mjs'

const folder = join(root, 'sdk')
await build({
  entryPoints: ['index', 'nano', 'node'].map((entry) => join(folder, 'dist', `${entry}.js`)),
  outdir: join(folder, 'bundle'),
  bundle: true,
  format: 'esm',
  platform: 'neutral',
  target: 'es2022',
  external: ['node:*'],
  mainFields: ['module', 'main'],
  // The licences of the bundled libraries.
  legalComments: 'inline',
  logLevel: 'warning',
})
