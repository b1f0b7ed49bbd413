// Bundles the scripts and styles of the site: minified, named by a hash of their content, and compressed ahead of time.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { root } from './prepare.mjs'

const folder = join(root, 'site', 'bundle')

/**
 * An esbuild plugin that reduces the contract to what a browser needs: method, path and credential of an operation. The
 * schemas are left out, because the server validates requests and the compiler has checked the types.
 */
const contractOutlines = {
  name: 'contract-outlines',
  setup({ onLoad }) {
    onLoad({ filter: /contract\/dist\/.+\.js$/ }, async ({ path }) => {
      const source = readFileSync(path, 'utf8')
      if (!source.includes("'zod'")) return { contents: source }
      const lines = Object.entries(await import(pathToFileURL(path).href)).map(([name, value]) => {
        const outline = outlineOf(value)
        return outline === undefined ? '' : `export const ${name} = ${JSON.stringify(outline)}\n`
      })
      return { contents: lines.join('') }
    })
  },
}

function outlineOf(value) {
  if (/^(function|bigint)$/.test(typeof value) || value === null || value?._zod) return undefined
  const isEndpoint = typeof value === 'object' && 'replies' in value && 'path' in value
  if (!isEndpoint) return Array.isArray(value) || typeof value !== 'object' ? value : undefined
  const { method, path, credential, replies } = value
  return { method, path, credential, replies: Object.fromEntries(Object.keys(replies).map((status) => [status, 0])) }
}

const common = {
  bundle: true,
  minify: true,
  metafile: true,
  write: true,
  outdir: folder,
  logLevel: 'warning',
  // A function of a contract file that loads zod: move it to a file without.
  logOverride: { 'import-is-undefined': 'error' },
  legalComments: 'none',
}
const named = { entryNames: '[name]-[hash]', chunkNames: 'chunk-[hash]' }

/** Builds everything, and the manifest that the server reads. */
async function bundleSite() {
  const source = join(root, 'site', 'src')
  const pages = readdirSync(join(source, 'pages')).map((name) => join(source, 'pages', name))
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const built = await Promise.all([
    build({
      ...common,
      ...named,
      entryPoints: pages,
      format: 'esm',
      splitting: true,
      target: 'es2022',
      plugins: [contractOutlines],
    }),
    // Not a module: it blocks the first paint, so it must run immediately and be short.
    build({
      ...common,
      ...named,
      entryPoints: [join(source, 'before-first-paint.ts')],
      format: 'iife',
      target: 'es2022',
    }),
    // Not a module: some browsers do not support modules in service workers.
    build({
      ...common,
      ...named,
      entryPoints: [join(source, 'push-worker.ts')],
      format: 'iife',
      target: 'es2022',
      plugins: [contractOutlines],
    }),
    build({
      ...common,
      ...named,
      entryPoints: ['style.css', 'docs.css', 'writing.css', 'embed.css'].map((name) =>
        join(root, 'site', 'style', name),
      ),
      external: ['/favicon.svg'],
      loader: { '.svg': 'file' },
      assetNames: '[name]-[hash]',
      publicPath: '/assets',
    }),
  ])
  const outputs = built.flatMap(({ metafile }) => Object.entries(metafile.outputs))
  const imports = new Map(
    outputs.map(([path, output]) => [
      basename(path),
      output.imports.filter(({ kind }) => kind === 'import-statement').map((each) => basename(each.path)),
    ]),
  )
  const all = (file) => [...new Set(imports.get(file).flatMap((each) => [each, ...all(each)]))]
  const manifest = {}
  for (const [path, { entryPoint }] of outputs) {
    const file = basename(path)
    const bytes = readFileSync(join(folder, file))
    writeFileSync(
      join(folder, `${file}.br`),
      brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
    )
    writeFileSync(join(folder, `${file}.gz`), gzipSync(bytes, { level: 9 }))
    if (entryPoint) manifest[basename(entryPoint).replace(/\.(tsx?|css)$/, '')] = { file, imports: all(file) }
  }
  writeFileSync(join(folder, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`)
}

await bundleSite()
