import { once } from 'node:events'
import { type DecoderReply, type DecoderTask, go } from './decoder-messages.ts'
import { screenImage } from './images/screen-image.ts'
import { PictureListUnreadable, pictureListReader } from './picture-list.ts'
import { BrokenRule, type ImageVerdict, OutOfMemory, type ZipVerdict } from './verdict.ts'
import { screenZip } from './zip/screen-zip.ts'

// The main program of a decoder process. It has no settings, no database and no secrets.

/** Decoding more pixels than this can take hundreds of megabytes. */
const largePixels = 16_000_000
const readPictureList = pictureListReader()
const send = (reply: DecoderReply) => process.send?.(reply)

async function screen(task: DecoderTask): Promise<ImageVerdict | ZipVerdict> {
  let hasTurn = false
  const beforeDecoding = async (pixels: number) => {
    if (hasTurn || pixels <= largePixels) return
    send({ is: 'large' })
    await once(process, go as never)
    hasTurn = true
  }
  try {
    const known = await readPictureList(task.pictureList)
    if (task.kind === 'image') return await screenImage(task.input, known, beforeDecoding)
    return await screenZip(task.path, known, beforeDecoding)
  } catch (error) {
    if (error instanceof BrokenRule) return { kind: 'rejected', reason: error.reason }
    if (error instanceof OutOfMemory) return { kind: 'failed', reason: 'memory-limit' }
    if (error instanceof PictureListUnreadable) return { kind: 'unavailable', screener: 'picture-list' }
    throw error
  }
}

process.on('message', async (message: DecoderTask | typeof go) => {
  if (message === go) return void process.emit(go as never)
  try {
    const verdict = await screen(message)
    send({ is: 'verdict', verdict, peakBytes: process.resourceUsage().maxRSS * 1024 })
  } catch (error) {
    send({ is: 'bug', stack: (error as Error).stack ?? String(error) })
  }
})
// SIGKILL, because an ordinary exit would wait for the image that is being decoded.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
send({ is: 'ready' })
