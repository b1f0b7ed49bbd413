import { open, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'

/**
 * The files that hold a chain's state. `whole` is always complete: it is written to a temporary file, flushed and
 * renamed. `atEnd` is what anvil writes as it exits. It is newer, but may be incomplete.
 */
export interface StateFile {
  readonly whole: string
  readonly atEnd: string
  /** Returns the file to start from, or undefined for a new chain. No process may be writing to the files. */
  choose(): Promise<string | undefined>
  /** Saves the result of `anvil_dumpState`. */
  save(dump: string): Promise<void>
}

export function stateFile(folder: string): StateFile {
  const whole = join(folder, 'state.json')
  const atEnd = join(folder, 'state-at-end.json')
  return {
    whole,
    atEnd,
    async choose() {
      const last = await readState(atEnd)
      if (last && last.blockNumber >= ((await readState(whole))?.blockNumber ?? 0)) await rename(atEnd, whole)
      await rm(atEnd, { force: true })
      return (await readState(whole)) && whole
    },
    async save(dump) {
      const state = await promisify(gunzip)(Buffer.from(dump.slice(2), 'hex'))
      const file = await open(`${whole}.new`, 'w', 0o600)
      try {
        await file.writeFile(state)
        await file.sync()
      } finally {
        await file.close()
      }
      await rename(`${whole}.new`, whole)
    },
  }
}

async function readState(path: string): Promise<{ blockNumber: number } | undefined> {
  try {
    const { best_block_number: blockNumber } = JSON.parse(await readFile(path, 'utf8'))
    return { blockNumber: Number(blockNumber) }
  } catch {
    return undefined
  }
}
