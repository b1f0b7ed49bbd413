// Bundles the command line program as it is published: everything that it needs but the server, which only operators have.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { root } from './prepare.mjs'

const folder = join(root, 'cli')
rmSync(join(folder, 'bundle'), { recursive: true, force: true })
await build({
  entryPoints: [join(folder, 'dist', 'main.js')],
  outdir: join(folder, 'bundle'),
  bundle: true,
  // What is loaded with import() stays in separate files, so that most commands start without it.
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  external: ['@pennypost/server', '@pennypost/server/*'],
  // Some libraries load modules of Node with require().
  banner: { js: `import { createRequire } from 'node:module'\nconst require = createRequire(import.meta.url)` },
  legalComments: 'inline',
  logLevel: 'warning',
})
