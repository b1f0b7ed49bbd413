import { readFileSync } from 'node:fs'
import { prepare } from './prepare.mjs'

if (process.env.npm_lifecycle_event === 'start') exitWithNpm()
await prepare()
console.log('Starting…')
await import('../server/bundle/main.js')

/** Stops when npm is gone. npm forwards signals, but if it is killed with SIGKILL only our parent's id changes. */
function exitWithNpm() {
  const parents = findParents()
  const watching = setInterval(() => {
    if (findParents() === parents) return
    clearInterval(watching)
    process.kill(process.pid, 'SIGTERM')
  }, 500).unref()
}

/** Our parent is npm or the shell that npm started: some shells exec their last command, others wait for it. */
function findParents() {
  try {
    const status = readFileSync(`/proc/${process.ppid}/stat`, 'utf8')
    const [, name, grandparent] = /\((.*)\) \S (\d+)/s.exec(status)
    return /^(sh|ash|dash|bash|zsh|busybox)$/.test(name) ? `${process.ppid} ${grandparent}` : `${process.ppid}`
  } catch {
    return `${process.ppid}`
  }
}
