// How much processor time programs of the cluster have used.
import { readFileSync } from 'node:fs'
import { descendants } from './program.mjs'

// Linux counts in hundredths of a second, whatever the machine.
const ticksPerSecond = 100

/** Seconds of processor time of a process and everything it started, also of what has ended and was waited for. */
export const processorSeconds = (pid) =>
  [pid, ...descendants(pid)].reduce((sum, each) => sum + ticksOf(each), 0) / ticksPerSecond

function ticksOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name, in parentheses, may contain spaces. After it, fields 14 to 17 are user, system, and both of ended children.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
  } catch {
    return 0
  }
}
