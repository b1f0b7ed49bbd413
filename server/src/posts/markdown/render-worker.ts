import { parentPort } from 'node:worker_threads'
import type { Part } from './post-env.ts'
import { renderMarkdown } from './render.ts'

const port = parentPort!
port.on('message', ({ markdown, part }: { markdown: string; part: Part }) => {
  try {
    port.postMessage({ rendered: renderMarkdown(markdown, part) })
  } catch (error) {
    port.postMessage({ error })
  }
})
port.postMessage('ready')
