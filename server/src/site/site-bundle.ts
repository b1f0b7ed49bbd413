import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

// The scripts and styles of the site, as `npm run build` made them. They are read once, when the process starts. Without a
// build there are none, and pages are plain HTML.

export interface SiteFile {
  readonly contentType: string
  readonly plain: Buffer
  readonly br: Buffer
  readonly gzip: Buffer
}

interface Entry {
  readonly file: string
  /** The chunks it imports, so that the browser can preload them. */
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

/** The bundle entry of a script or style; undefined if the site was not built. */
export const findEntry = (name: string): Entry | undefined => entries[name]
