import { createHash } from 'node:crypto'
import type { ExportRequest } from './exported-file.ts'
import type { PersonalDataServices } from './services.ts'

export const manifestName = 'manifest.json'

interface ListedFile {
  readonly path: string
  readonly bytes: number
  readonly sha256: string
}

/**
 * Lists the files of an archive while they are written: to check a copy years later, and to import it elsewhere. It grows by
 * a line for each file, as the directory of the ZIP does.
 */
export function createManifest(
  { site }: Pick<PersonalDataServices, 'site'>,
  { accountId, origin, startedAt }: ExportRequest,
) {
  const files: ListedFile[] = []
  return {
    /** Passes the content of a file on, and notes it. */
    async *note<Chunk extends string | Uint8Array>(path: string, content: AsyncIterable<Chunk>): AsyncGenerator<Chunk> {
      const hash = createHash('sha256')
      let bytes = 0
      for await (const chunk of content) {
        hash.update(chunk)
        bytes += Buffer.byteLength(chunk)
        yield chunk
      }
      files.push({ path, bytes, sha256: hash.digest('hex') })
    },
    async *write(): AsyncGenerator<string> {
      const about = { format: 'pennypost-export', version: 1, site: site.settings().name, origin, accountId, startedAt }
      yield `${JSON.stringify(about).slice(0, -1)},\n"posts":[\n`
      const folders = files.flatMap(({ path }) => /^(posts\/[^/]+)\/post\.md$/.exec(path)?.[1] ?? [])
      yield folders.map((folder) => JSON.stringify({ folder })).join(',\n')
      yield '\n],\n"files":[\n'
      yield files.map((file) => JSON.stringify(file)).join(',\n')
      yield '\n]}\n'
    },
  }
}
