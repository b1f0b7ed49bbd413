import { readlinkSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'
import { basename } from 'node:path'
import { parentPort } from 'node:worker_threads'
import { type RenderOptions, renderMarkdown } from './render.ts'

// Lowers the priority, because replying to requests is more important. On Linux this affects the thread alone; elsewhere it
// would affect the whole service.
if (process.platform === 'linux') setPriority(Math.min(19, getPriority() + 19))

const port = parentPort!
port.on('message', ({ markdown, options }: { markdown: string; options: RenderOptions }) => {
  try {
    port.postMessage({ rendered: renderMarkdown(markdown, options) })
  } catch (error) {
    port.postMessage({ error })
  }
})
// The main thread uses this number to read how much processor time the worker takes.
port.postMessage({ ready: threadNumber() })

/** Undefined where there is no /proc: then the clock limits the work. */
function threadNumber(): number | undefined {
  try {
    return Number(basename(readlinkSync('/proc/thread-self')))
  } catch {
    return undefined
  }
}
