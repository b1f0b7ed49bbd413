import { readFile } from 'node:fs/promises'
import { StartError } from '../data-dir.ts'

// Encryption with age (https://age-encryption.org/v1), so that its standard tool can read a backup too. The library is
// loaded only if it is used.

export type Bytes = AsyncIterable<Uint8Array>
export type Transform = (bytes: Bytes) => Bytes

/** Encrypts to public keys. Public keys alone cannot decrypt. */
export async function encryptTo(recipients: readonly string[]): Promise<Transform> {
  const { Encrypter } = await import('age-encryption')
  const encrypter = new Encrypter()
  for (const recipient of recipients) {
    try {
      encrypter.addRecipient(recipient)
    } catch {
      throw new StartError(`BACKUP_RECIPIENTS: ${shorten(recipient)} is not a public key of age`)
    }
  }
  return async function* encrypt(bytes) {
    yield* await encrypter.encrypt(streamOf(bytes))
  }
}

/** Decrypts with the private keys in a file, as `age-keygen` writes it. */
export async function decryptWith(identityFile: string): Promise<Transform> {
  const { Decrypter } = await import('age-encryption')
  const decrypter = new Decrypter()
  let keys = 0
  for (const line of (await readIdentities(identityFile)).split('\n').map((each) => each.trim())) {
    if (line === '' || line.startsWith('#')) continue
    try {
      decrypter.addIdentity(line)
    } catch {
      // Not the line itself, which may be a private key with a typing error.
      throw new StartError(`${identityFile} is not a file of private keys, as age-keygen writes them`)
    }
    keys += 1
  }
  if (keys === 0) throw new StartError(`${identityFile} has no private key`)
  return async function* decrypt(bytes) {
    const plain = await decrypter.decrypt(streamOf(bytes)).catch((error: Error) => {
      if (error instanceof StartError || 'code' in error) throw error
      throw new StartError(`no private key in ${identityFile} opens this backup`, { cause: error })
    })
    yield* plain
  }
}

async function readIdentities(path: string): Promise<string> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    throw new StartError(`--identity: ${(error as Error).message}`)
  }
  if (text.startsWith('age-encryption.org/') || text.startsWith('-----BEGIN AGE'))
    throw new StartError(`${path} is encrypted itself: decrypt it with age first, into memory (/dev/shm)`)
  return text
}

const shorten = (text: string): string => (text.length > 20 ? `${text.slice(0, 20)}…` : text)

/** Reads on only when asked for more, so that little is in memory. */
function streamOf(bytes: Bytes): ReadableStream<Uint8Array> {
  const iterator = bytes[Symbol.asyncIterator]()
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await iterator.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      async cancel() {
        await iterator.return?.()
      },
    },
    { highWaterMark: 1 },
  )
}
