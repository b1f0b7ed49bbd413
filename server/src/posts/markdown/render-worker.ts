import { readlinkSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'
import { basename } from 'node:path'
import { parentPort } from 'node:worker_threads'
import { type RenderOptions, renderMarkdown } from './render.ts'

// Replying to requests comes before rendering. On Linux this is the priority of the thread alone; elsewhere it would be that
// of the whole service.
if (process.platform === 'linux') setPriority(Math.min(19, getPriority() + 19))

const port = parentPort!
port.on('message', ({ markdown, options }: { markdown: string; options: RenderOptions }) => {
  try {
    port.postMessage({ rendered: renderMarkdown(markdown, options) })
  } catch (error) {
    port.postMessage({ error })
  }
})
// Its number is how others find out how much processor time it takes.
port.postMessage({ ready: threadNumber() })

/** Undefined where there is no /proc: then the clock limits the work. */
function threadNumber(): number | undefined {
  try {
    return Number(basename(readlinkSync('/proc/thread-self')))
  } catch {
    return undefined
  }
}
