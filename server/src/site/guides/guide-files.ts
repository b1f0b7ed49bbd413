import { readFileSync } from 'node:fs'
import { posix } from 'node:path'

// The guides are the Markdown files that docs/README.md lists. Only the build reads them.

export interface GuideFile {
  /** The last part of its URL. */
  readonly slug: string
  /** Its path in the repository. */
  readonly path: string
  /** The heading of the list that it is in. */
  readonly group: string
  /** Its title in the list. */
  readonly title: string
  readonly description: string
  readonly markdown: string
}

const repository = new URL('../../../../', import.meta.url)

/** Every guide, in the order of the list. */
export function readGuideFiles(): GuideFile[] {
  const read = (path: string) => readFileSync(new URL(path, repository), 'utf8')
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
