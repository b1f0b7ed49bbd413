// Programs of the cluster: each can be killed, frozen and started again, and none outlives this process.
import { spawnSync } from 'node:child_process'
import { createWriteStream, existsSync, readdirSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { spawnWatched } from '../scripts/prepare.mjs'

const stopMs = 15_000

/** What PostgreSQL and PgBouncer run as, because they refuse to run as root. Undefined: as we do. */
export const servant = process.getuid() === 0 ? 'postgres' : undefined

/** The folders in which Debian keeps programs that are not for everyone. */
export function findProgram(name) {
  const versions = existsSync('/usr/lib/postgresql') ? readdirSync('/usr/lib/postgresql').sort().reverse() : []
  const folders = [...process.env.PATH.split(':'), '/usr/sbin', ...versions.map((v) => `/usr/lib/postgresql/${v}/bin`)]
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path))
}

/** Commands that run to their end, as the user who owns the databases. Returns what they print. */
export async function runAsServant(command, args) {
  const whole = servant ? ['runuser', '-u', servant, '--', command, ...args] : [command, ...args]
  const child = spawnWatched(whole[0], whole.slice(1), { cwd: '/', output: ['pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      output += text
    })
  const status = await new Promise((resolve) => child.once('close', resolve).once('error', resolve))
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed (${status}): ${output}`)
  return output
}

/**
 * A program that runs in the background. `command` and `env` are asked at every start. `isReady` says whether it works; starting waits for that. What it prints goes to
 * `logFile`.
 */
export function createProgram({
  name,
  command,
  env = () => ({}),
  asServant = false,
  logFile,
  isReady,
  readyMs = 60_000,
}) {
  let child
  let isFrozen = false
  let exited = Promise.resolve()

  const isRunning = () => child !== undefined && child.exitCode === null && child.signalCode === null

  async function start() {
    if (isRunning()) return
    const user = asServant && servant ? ['setpriv', '--reuid', servant, '--regid', servant, '--init-groups'] : []
    const [program, ...args] = [...user, ...command()]
    const log = createWriteStream(logFile, { flags: 'a' })
    child = spawnWatched(program, args, {
      cwd: '/',
      env: { PATH: process.env.PATH, ...env() },
      output: ['pipe', 'pipe'],
    })
    for (const stream of [child.stdout, child.stderr]) stream.pipe(log, { end: false })
    const started = child
    exited = new Promise((resolve) => started.once('exit', resolve).once('error', resolve))
    // What it had printed may come after its end.
    started.once('close', () => log.end())
    const until = Date.now() + readyMs
    while (!(await isReady().catch(() => false))) {
      if (!isRunning()) throw new Error(`${name} ended: ${readFileSync(logFile, 'utf8').slice(-2_000)}`)
      if (Date.now() > until) throw new Error(`${name} is not ready after ${readyMs / 1000} s; see ${logFile}`)
      await wait(100)
    }
  }

  /** Signals the program and everything that it started, including processes in separate sessions. */
  const signal = (which) => {
    if (!isRunning()) return
    for (const pid of [child.pid, ...descendants(child.pid)]) {
      try {
        process.kill(pid, which)
      } catch {}
    }
  }

  return {
    name,
    start,
    isRunning: () => isRunning() && !isFrozen,
    pid: () => child?.pid,
    /** Kills the program, like a power failure. */
    async kill() {
      signal('SIGKILL')
      await exited
      isFrozen = false
    },
    /** Freezes the program: it is still there, but does not respond. */
    freeze() {
      isFrozen = isRunning()
      signal('SIGSTOP')
    },
    thaw() {
      signal('SIGCONT')
      isFrozen = false
    },
    async stop(how = 'SIGTERM') {
      if (isFrozen) this.thaw()
      // Only itself: it ends what it has started in its own order.
      if (isRunning()) process.kill(child.pid, how)
      await Promise.race([exited, wait(stopMs, undefined, { ref: false })])
      await this.kill()
    },
    reload: () => isRunning() && process.kill(child.pid, 'SIGHUP'),
  }
}

export function descendants(pid) {
  const { stdout } = spawnSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' })
  const children = stdout.split('\n').filter(Boolean).map(Number)
  return children.flatMap((each) => [each, ...descendants(each)])
}

/** Whether a program listens on this port. */
export const listens = (port) =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
      .once('connect', () => resolve(true) || socket.destroy())
      .once('error', () => resolve(false))
  })

export async function repliesWith(url, status = 200) {
  const reply = await fetch(url, { signal: AbortSignal.timeout(2_000) })
  await reply.arrayBuffer()
  return reply.status === status
}
