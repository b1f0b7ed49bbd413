import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

// The scripts and styles of the site, as `npm run build` left them. They are read once: a process answers with the files
// it started with. Without a build there are none, and pages are plain.

export interface SiteFile {
  readonly contentType: string
  readonly plain: Buffer
  readonly br: Buffer
  readonly gzip: Buffer
}

interface Entry {
  readonly file: string
  /** What it imports: worth asking for before it is read. */
  readonly imports: readonly string[]
}

const folder = fileURLToPath(new URL('../../../site/bundle/', import.meta.url))
const isBuilt = existsSync(`${folder}manifest.json`)
const entries: Readonly<Record<string, Entry>> = isBuilt
  ? JSON.parse(readFileSync(`${folder}manifest.json`, 'utf8'))
  : {}

const types: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
}

const files: ReadonlyMap<string, SiteFile> = new Map(
  (isBuilt ? readdirSync(folder) : [])
    .filter((name) => /\.(js|css|svg)$/.test(name))
    .map((name) => [
      name,
      {
        contentType: types[name.split('.').at(-1)!]!,
        plain: readFileSync(folder + name),
        br: readFileSync(`${folder}${name}.br`),
        gzip: readFileSync(`${folder}${name}.gz`),
      },
    ]),
)

export const findSiteFile = (name: string): SiteFile | undefined => files.get(name)

/** What a page with this script needs; undefined where the site was not built. */
export const findEntry = (name: string): Entry | undefined => entries[name]
