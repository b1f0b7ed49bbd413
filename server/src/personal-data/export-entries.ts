import { transactionLines } from '../payments/finance/export-transactions.ts'
import type { FileStore } from '../platform/files/file-store.ts'
import type { ZipEntry } from '../platform/zip-stream.ts'
import { subscriberLines } from '../subscriptions/export-subscribers.ts'
import { accountFile } from './export-account.ts'
import { ghostPosts } from './export-ghost.ts'
import { boughtPosts } from './export-library.ts'
import { lists } from './export-lists.ts'
import { createManifest, manifestName } from './export-manifest.ts'
import { ownPosts } from './export-posts.ts'
import { readme } from './export-readme.ts'
import { listProfileImages } from './export-uploads.ts'
import type { ExportedFile, ExportRequest, StoredFile } from './exported-file.ts'
import { jsonArrayOf } from './list-pages.ts'
import type { PersonalDataServices } from './services.ts'

/**
 * The files of an export, one after the other. Lists are read in pages and posts one by one, without one transaction around
 * them: what changes while the archive is made may be in one file and not in another, and the README says so.
 */
export async function* exportEntries(services: PersonalDataServices, request: ExportRequest): AsyncGenerator<ZipEntry> {
  const missing: string[] = []
  const manifest = createManifest(services, request)
  for await (const file of exportedFiles(services, request)) {
    const modifiedAt = file.modifiedAt ?? request.startedAt
    if (!('key' in file)) {
      yield {
        name: file.name,
        modifiedAt,
        content: manifest.note(file.name, typeof file.content === 'string' ? one(file.content) : file.content),
      }
      continue
    }
    const content = await open(services, file)
    if (content) yield { name: file.name, modifiedAt, content: manifest.note(file.name, content), isStored: true }
    else missing.push(file.name)
  }
  yield { name: manifestName, modifiedAt: request.startedAt, content: manifest.write() }
  if (missing.length === 0) return
  const text = `These files could not be read when the export was made:\n\n${missing.join('\n')}\n`
  yield { name: 'MISSING.txt', modifiedAt: request.startedAt, content: one(text) }
}

async function* exportedFiles(services: PersonalDataServices, request: ExportRequest): AsyncGenerator<ExportedFile> {
  const { pool, db } = services
  const { accountId, origin } = request
  yield { name: 'README.txt', content: readme(services.site.settings().name, request) }
  yield { name: 'account/account.json', content: await accountFile(pool, accountId) }
  yield* await listProfileImages(db, accountId)
  for (const list of lists) yield { name: list.path, content: jsonArrayOf(pool, list, accountId) }
  yield { name: 'people/subscribers.csv', content: subscriberLines(pool, accountId) }
  const lines = { accountId, directions: ['in', 'out'], assets: ['XNO', 'USDC'] } as const
  yield { name: 'money/transactions.csv', content: transactionLines(pool, lines, origin) }
  yield* ownPosts(services, request)
  yield { name: 'ghost.json', content: ghostPosts(services, request) }
  yield* boughtPosts(services, request)
}

async function* one(text: string): AsyncGenerator<string> {
  yield text
}

/** Opens a stored file. If it is lost, or the store fails, the rest of the export goes on. */
async function open({ files, log }: { files: FileStore; log: PersonalDataServices['log'] }, { key }: StoredFile) {
  try {
    return await files.read(key)
  } catch (error) {
    log.warn({ key, cause: (error as Error).message }, 'could not read stored bytes for an export')
    return undefined
  }
}
