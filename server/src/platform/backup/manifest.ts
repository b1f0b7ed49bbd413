import { z } from 'zod'
import { StartError } from '../data-dir.ts'
import { Dump } from './dump.ts'
import type { Transform } from './encryption.ts'
import { Part, type PartStore, readPart, readSmall } from './parts.ts'

// A backup describes itself twice: `backup.json` says which parts belong to it, and anyone who may read the place can read it.
// `contents.json` says what is in them, and is encrypted like them.

export const manifestName = 'backup.json'
export const contentsName = 'contents.json'
const maxBytes = 16 * 1024 * 1024

const Manifest = z.object({
  format: z.literal(2),
  takenAt: z.iso.datetime(),
  encryption: z.enum(['none', 'age']),
  parts: z.array(Part),
})
export type Manifest = z.infer<typeof Manifest>

const Contents = z.object({
  database: Dump,
  /** Archives of the files of DATA_DIR, newest first. */
  archives: z.array(z.string()),
  files: z.number().int(),
  /** Which secrets are among them. */
  secrets: z.array(z.string()),
})
export type Contents = z.infer<typeof Contents>

/** The name of a part, as it is stored. */
export const storedName = (name: string, { encryption }: Pick<Manifest, 'encryption'>): string =>
  encryption === 'age' ? `${name}.age` : name

export async function readManifest(at: PartStore): Promise<Manifest> {
  const found = await at.store.read(at.prefix + manifestName)
  if (!found) throw new StartError(`there is no ${at.prefix}${manifestName}: this is not a whole backup`)
  return parse(Manifest, await readSmall(found as AsyncIterable<Uint8Array>, maxBytes), at.prefix + manifestName)
}

export async function readContents(at: PartStore, manifest: Manifest, decrypt: Transform): Promise<Contents> {
  const name = storedName(contentsName, manifest)
  return parse(Contents, await readSmall(decrypt(readPart(at, name)), maxBytes), at.prefix + name)
}

function parse<T>(schema: z.ZodType<T>, text: string, name: string): T {
  try {
    const value = JSON.parse(text)
    if (value?.format === 1)
      throw new StartError(`${name} is of an older format: restore it with the version that wrote it`)
    return schema.parse(value)
  } catch (error) {
    if (error instanceof z.ZodError || error instanceof SyntaxError) throw new StartError(`${name} is damaged`)
    throw error
  }
}
