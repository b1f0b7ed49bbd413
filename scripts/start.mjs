import { readFileSync } from 'node:fs'
import { prepare } from './prepare.mjs'

if (process.env.npm_lifecycle_event === 'start') leaveWithNpm()
await prepare()
await import('../server/dist/main.js')

/** npm passes on the signals it can catch. When it is killed outright, nobody tells us but our parent's id. */
function leaveWithNpm() {
  const starters = findStarters()
  const watching = setInterval(() => {
    if (findStarters() === starters) return
    clearInterval(watching)
    process.kill(process.pid, 'SIGTERM')
  }, 500).unref()
}

/** Our parent is npm, or the shell npm started: some shells replace themselves by their last command, some wait. */
function findStarters() {
  try {
    const status = readFileSync(`/proc/${process.ppid}/stat`, 'utf8')
    const [, name, grandparent] = /\((.*)\) \S (\d+)/s.exec(status)
    return /^(sh|ash|dash|bash|zsh|busybox)$/.test(name) ? `${process.ppid} ${grandparent}` : `${process.ppid}`
  } catch {
    return `${process.ppid}`
  }
}
