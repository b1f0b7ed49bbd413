import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process'
import type { Socket } from 'node:net'

/** Child processes do not inherit our environment: PG* variables or LD_LIBRARY_PATH would change what they do. */
export const ENVIRONMENT = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  LANG: 'C.UTF-8',
  TZ: 'UTC',
}

export interface WatchOptions {
  readonly signalIfOrphaned: 'INT' | 'KILL'
  readonly stdout: number | 'pipe' | 'ignore'
  readonly stderr: number | 'pipe' | 'ignore'
  /** A command prefix. */
  readonly wrapper?: readonly string[]
  readonly identity?: { readonly uid: number; readonly gid: number } | undefined
}

/**
 * Starts a program in a new session, so that Ctrl-C in the terminal reaches only us; we stop the program after the last
 * request. If we are killed, a watcher process sends the program `signalIfOrphaned`.
 */
export function spawnWatched(command: readonly string[], options: WatchOptions): ChildProcess {
  const { wrapper = [], identity, stdout, stderr, signalIfOrphaned } = options
  const [program = '', ...args] = [...wrapper, '/bin/sh', '-c', WATCH_AND_EXEC, 'sh', signalIfOrphaned]
  const stdio: StdioOptions = ['ignore', stdout, stderr, 'pipe']
  const child = spawn(program, [...args, ...command], {
    ...identity,
    cwd: '/',
    env: ENVIRONMENT,
    detached: true,
    stdio,
  })
  const lifeline = child.stdio[3] as Socket
  lifeline.on('error', () => {}) // the watcher may have been killed
  lifeline.unref()
  child.once('exit', () => {
    lifeline.ref().end('ended\n')
    lifeline.destroySoon()
  })
  return child
}

/**
 * The watcher reads file descriptor 3. End of file means that the parent is gone; a line means that the watched program
 * is. The watcher is forked twice, so that PostgreSQL does not find a child that it did not start. KILL is sent to the
 * whole process group, because initdb has children that would keep writing.
 */
const WATCH_AND_EXEC = `
signal=$1; shift
case $signal in KILL) target=-$$ ;; *) target=$$ ;; esac
( ( trap '' INT HUP TERM; read -r _ <&3 || kill -s $signal -- $target ) </dev/null >/dev/null 2>&1 & )
exec "$@" 3<&-
`
