import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process'
import type { Socket } from 'node:net'

/** Nothing of our own environment goes to a program beside us: PG* variables or LD_LIBRARY_PATH would change what it does. */
export const ENVIRONMENT = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  LANG: 'C.UTF-8',
  TZ: 'UTC',
}

export interface WatchOptions {
  readonly signalIfOrphaned: 'INT' | 'KILL'
  readonly stdout: number | 'pipe' | 'ignore'
  readonly stderr: number | 'pipe' | 'ignore'
  /** Put before the command. */
  readonly wrapper?: readonly string[]
  readonly identity?: { readonly uid: number; readonly gid: number } | undefined
}

/**
 * Starts a program in a session of its own: Ctrl-C in the terminal is for us alone, we stop it after the last request.
 * Should we die without a word, a watcher sends the program `signalIfOrphaned`.
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
  lifeline.on('error', () => {}) // the watcher may have been killed; then there is nobody to tell
  lifeline.unref()
  child.once('exit', () => {
    lifeline.ref().end('ended\n')
    lifeline.destroySoon()
  })
  return child
}

/**
 * The end of file descriptor 3 says that the starting process is gone, a line that the watched one is. The watcher is
 * forked twice, so that PostgreSQL does not find a child it never made. The whole group dies by KILL: initdb has
 * children that would go on writing.
 */
const WATCH_AND_EXEC = `
signal=$1; shift
case $signal in KILL) target=-$$ ;; *) target=$$ ;; esac
( ( trap '' INT HUP TERM; read -r _ <&3 || kill -s $signal -- $target ) </dev/null >/dev/null 2>&1 & )
exec "$@" 3<&-
`
