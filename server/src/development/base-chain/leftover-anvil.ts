import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'

const patienceMs = 5_000
const lookEveryMs = 20

/**
 * Waits for the anvil of a process that died: it was told to end by its watcher, and is writing its state. One that was
 * not told, because the watcher died too, is told now.
 */
export async function endLeftoverAnvil(pid: number, folder: string): Promise<void> {
  if (!Number.isSafeInteger(pid) || pid <= 0) return
  for (let waitedMs = 0; await isAnvilOf(folder, pid); waitedMs += lookEveryMs) {
    if (waitedMs === patienceMs / 5) tell(pid, 'SIGINT')
    if (waitedMs >= patienceMs) tell(pid, 'SIGKILL')
    await wait(lookEveryMs)
  }
}

function tell(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It ended in between.
  }
}

/** Process ids are used again: it is ours when it writes into our folder. */
async function isAnvilOf(folder: string, pid: number): Promise<boolean> {
  const command =
    process.platform === 'linux'
      ? await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
      : await promisify(execFile)('ps', ['-ww', '-o', 'command=', '-p', String(pid)]).then(
          ({ stdout }) => stdout,
          () => '',
        )
  return command.includes('anvil') && command.includes(folder)
}
