import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'

const timeoutMs = 5_000
const checkEveryMs = 20

/**
 * Waits for the anvil of a process that died. Its watcher normally signals it to end, and it writes its state first. If
 * the watcher died too, this sends the signal.
 */
export async function endLeftoverAnvil(pid: number, folder: string): Promise<void> {
  if (!Number.isSafeInteger(pid) || pid <= 0) return
  for (let waitedMs = 0; await isAnvilOf(folder, pid); waitedMs += checkEveryMs) {
    if (waitedMs === timeoutMs / 5) sendSignal(pid, 'SIGINT')
    if (waitedMs >= timeoutMs) sendSignal(pid, 'SIGKILL')
    await wait(checkEveryMs)
  }
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It has ended in the meantime.
  }
}

/** Whether this process is the anvil of our folder. The process id alone is not enough, because ids are reused. */
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
