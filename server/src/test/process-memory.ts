import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'

// Memory use of a process, read from /proc on Linux.

const statusOf = (pid: number): Promise<string> => readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')

/** The peak memory of a process; 0 if it has ended. */
export async function peakBytes(pid: number): Promise<number> {
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(await statusOf(pid))?.[1] ?? 0) * 1024
}

/** Watches a service's decoder processes. The returned function stops watching and returns the peak of each. */
export function decoderPeaks(servicePid: number): () => Promise<number[]> {
  const peaks = new Map<number, number>()
  let isOver = false
  const watching = (async () => {
    while (!isOver) {
      for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)) {
        if (!(await statusOf(pid)).includes(`\nPPid:\t${servicePid}\n`)) continue
        const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
        if (command.includes('decoder-main')) peaks.set(pid, Math.max(await peakBytes(pid), peaks.get(pid) ?? 0))
      }
      await wait(100)
    }
  })()
  return async () => {
    isOver = true
    await watching
    return [...peaks.values()]
  }
}
