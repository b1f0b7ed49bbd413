import { existsSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'

// The guides are the Markdown files that docs/README.md lists. The build copies them into the bundle of the site, and they are
// read once, when the process starts. Without a build there are none.

export interface GuideFile {
  /** The last part of its URL. */
  readonly slug: string
  /** Its path in the repository. */
  readonly path: string
  /** The heading of the list that it is in. */
  readonly group: string
  /** What the list calls it. */
  readonly title: string
  readonly description: string
  readonly markdown: string
}

const folder = fileURLToPath(new URL('../../../../site/bundle/guides/', import.meta.url))

/** Every guide, in the order of the list. */
export const guideFiles: readonly GuideFile[] = existsSync(folder) ? readGuides() : []

function readGuides(): GuideFile[] {
  const read = (path: string) => readFileSync(folder + path, 'utf8')
  const [, ...groups] = read('docs/README.md').split(/^## /m)
  return groups.flatMap((text) =>
    [...text.matchAll(/^- \[([^\]]+)\]\(([^)]+\.md)\): ((?:.|\n(?! *[-\n]))+)/gm)].map(
      ([, title, file, description]) => {
        const path = posix.join('docs', file!)
        return {
          slug: slugOf(path),
          path,
          group: text.split('\n', 1)[0]!,
          title: title!,
          description: description!.replace(/\s+/g, ' '),
          markdown: read(path),
        }
      },
    ),
  )
}

/** @example slugOf('docs/paying.md') // 'paying'; slugOf('sdk/README.md') // 'sdk' */
function slugOf(path: string): string {
  const name = posix.basename(path, '.md')
  return name === 'README' ? posix.basename(posix.dirname(path)) : name.toLowerCase()
}
