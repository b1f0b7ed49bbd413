import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { crc32, deflateRawSync } from 'node:zlib'

interface Scope {
  after(close: () => Promise<void>): void
}

export async function temporaryFolder(t: Scope): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'pennypost-transfer-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** Writes a file in a new folder. Returns its path. */
export async function writeArchive(t: Scope, name: string, content: string | Buffer): Promise<string> {
  const path = join(await temporaryFolder(t), name)
  await writeFile(path, content)
  return path
}

export async function writeFolder(t: Scope, files: Readonly<Record<string, string | Buffer>>): Promise<string> {
  const folder = await temporaryFolder(t)
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), content)
  }
  return folder
}

/** A ZIP as programs write it. `lies` are sizes that it states for a file, whatever it has. */
export function makeZip(
  files: Readonly<Record<string, string | Buffer>>,
  lies: Readonly<Record<string, number>> = {},
): Buffer {
  const locals: Buffer[] = []
  const entries: Buffer[] = []
  let offset = 0
  for (const [name, content] of Object.entries(files)) {
    const bytes = Buffer.from(content)
    const packed = deflateRawSync(bytes)
    const path = Buffer.from(name)
    const sizes = Buffer.alloc(12)
    sizes.writeUInt32LE(crc32(bytes), 0)
    sizes.writeUInt32LE(packed.length, 4)
    sizes.writeUInt32LE(lies[name] ?? bytes.length, 8)
    const shared = Buffer.concat([Buffer.from([20, 0, 0, 8, 8, 0, 0, 0, 0, 0]), sizes, uint16(path.length), uint16(0)])
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), shared, path, packed])
    const ending = Buffer.alloc(14)
    ending.writeUInt32LE(offset, 10)
    entries.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00', 'latin1'), shared, ending, path]))
    locals.push(local)
    offset += local.length
  }
  const directory = Buffer.concat(entries)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(entries.length, 8)
  end.writeUInt16LE(entries.length, 10)
  end.writeUInt32LE(directory.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...locals, directory, end])
}

const uint16 = (value: number): Buffer => {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16LE(value)
  return bytes
}

/** A picture of one pixel. */
export const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
