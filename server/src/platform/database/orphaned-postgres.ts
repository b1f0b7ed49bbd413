import { execFile } from 'node:child_process'
import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { isErrno, StartError } from '../data-dir.ts'

interface RunningProcess {
  pid: number
  /** A single element for a process that has set its own title. */
  argv: string[]
}

/**
 * PostgreSQL shows this name in the title of each of its processes. It is made from the folder's inode rather than its
 * path, so it stays the same if the folder is moved while an orphaned server still runs in it.
 */
export async function clusterName(clusterDir: string): Promise<string> {
  const { dev, ino } = await stat(clusterDir)
  return `pennypost-${dev.toString(36)}-${ino.toString(36)}`
}

/** Stops a PostgreSQL server that outlived its parent. The caller holds the lock of DATA_DIR, so no other process owns it. */
export async function endOrphanedPostgres(clusterDir: string, log: (line: string) => void): Promise<void> {
  const pidFile = join(clusterDir, 'postmaster.pid')
  const left = await readFile(pidFile, 'utf8').catch(() => undefined)
  if (left === undefined) return

  const name = await clusterName(clusterDir)
  const found = await processesOf(name)
  if (found.all.length > 0) log(`stopping PostgreSQL (${found.all.join(', ')}) of an earlier run`)
  if (found.postmaster !== undefined) await endAll(name, 'SIGINT', 30_000)
  await endAll(name, 'SIGQUIT', 5_000)
  await endAll(name, 'SIGKILL', 5_000)
  const stubborn = (await processesOf(name)).all
  if (stubborn.length > 0) {
    throw new StartError(
      `PostgreSQL in DATA_DIR is still running and cannot be stopped: kill process ${stubborn.join(', ')}`,
    )
  }

  // PostgreSQL believes this file if any process has the id in it, and in a restarted container one usually does.
  const [named] = left.split('\n')
  const [program = ''] = (await argvOf(Number(named))) ?? []
  if (!isPostgres(program)) await rm(pidFile, { force: true })
}

/** The postmaster stops its children; without a postmaster each is signalled. Returns early when none is left. */
async function endAll(name: string, signal: NodeJS.Signals, timeoutMs: number): Promise<void> {
  const deadline = Date.now() + timeoutMs
  const { postmaster, all } = await processesOf(name)
  for (const pid of postmaster !== undefined && signal !== 'SIGKILL' ? [postmaster] : all) {
    try {
      process.kill(pid, signal)
    } catch (error) {
      if (!isErrno(error, 'ESRCH', 'EPERM')) throw error
    }
  }
  while ((await processesOf(name)).all.length > 0 && Date.now() < deadline) await sleep(50)
}

async function processesOf(name: string): Promise<{ postmaster: number | undefined; all: number[] }> {
  const ours: RunningProcess[] = []
  let postmaster: number | undefined
  for (const candidate of await runningProcesses()) {
    const [program = '', ...rest] = candidate.argv
    if (program.startsWith(`postgres: ${name}: `)) ours.push(candidate)
    else if (isPostgres(program) && rest.includes(`cluster_name=${name}`)) {
      ours.push(candidate)
      postmaster = candidate.pid
    }
  }
  return { postmaster, all: ours.map(({ pid }) => pid) }
}

function isPostgres(program: string): boolean {
  return program.startsWith('postgres: ') || /(^|\/)postgres$/.test(program)
}

async function runningProcesses(): Promise<RunningProcess[]> {
  if (process.platform !== 'linux') {
    const { stdout } = await promisify(execFile)('ps', ['-axww', '-o', 'pid=,command='], { maxBuffer: 1 << 26 })
    return stdout.split('\n').map((line) => {
      const [, pid = '', command = ''] = /^\s*(\d+) (.*)$/.exec(line) ?? []
      const [, program = command, args = ''] = /^(\/.*?\/postgres) (.*)$/.exec(command) ?? []
      return { pid: Number(pid), argv: [program, ...args.split(' ')] }
    })
  }
  const running: RunningProcess[] = []
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const argv = await argvOf(Number(name))
    if (argv) running.push({ pid: Number(name), argv })
  }
  return running
}

async function argvOf(pid: number): Promise<string[] | undefined> {
  if (process.platform !== 'linux') return (await runningProcesses()).find((one) => one.pid === pid)?.argv
  const text = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
  return text === '' ? undefined : text.split('\0')
}
