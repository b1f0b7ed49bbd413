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
port.postMessage({
  ready: process.platform === 'linux' ? Number(basename(readlinkSync('/proc/thread-self'))) : undefined,
})
