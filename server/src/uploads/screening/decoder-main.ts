import type { DecoderReply, DecoderTask, Drawing, Lane } from './decoder-messages.ts'
import { drawLinkCard } from './drawing/link-card.ts'
import { drawThumbnail } from './drawing/thumbnail.ts'
import { type BeforeDecoding, decoded, decoderMemory } from './images/decode.ts'
import { screenImage, writeFlushed } from './images/screen-image.ts'
import { PictureListUnreadable, pictureListReader } from './picture-list.ts'
import { BrokenRule, type DecoderVerdict, OutOfMemory } from './verdict.ts'
import { screenZip } from './zip/screen-zip.ts'

// The main program of a decoder process. It has no settings, no database and no secrets.

/** Decoding more pixels than this can take hundreds of megabytes, and many seconds. */
const largePixels = 16_000_000
const readPictureList = pictureListReader()
const send = (reply: DecoderReply) => process.send?.(reply)
decoderMemory.limitBytes = Number(process.argv[2])

/** Thrown before decoding more pixels than the light lane allows. */
class TooLarge extends Error {
  constructor(readonly pixels: number) {
    super('too large for the light lane')
  }
}

async function run({ task, lane }: { task: DecoderTask; lane: Lane }): Promise<DecoderVerdict> {
  let total = 0
  const beforeDecoding = (pixels: number) => {
    total += pixels
    if (lane === 'light' && total > largePixels) throw new TooLarge(total)
  }
  try {
    if (task.kind === 'link-card' || task.kind === 'thumbnail') {
      await writeFlushed(task.outputPath, await decoded(draw(task, beforeDecoding)))
      return { kind: 'drawn' }
    }
    const known = await readPictureList(task.pictureList)
    if (task.kind === 'image') return await screenImage(task.input, known, beforeDecoding)
    return await screenZip(task.path, known, beforeDecoding)
  } catch (error) {
    if (error instanceof TooLarge) return { kind: 'large', pixels: error.pixels }
    if (error instanceof BrokenRule) return { kind: 'rejected', reason: error.reason }
    if (error instanceof OutOfMemory) return { kind: 'failed', reason: 'memory-limit' }
    if (error instanceof PictureListUnreadable) return { kind: 'unavailable', screener: 'picture-list' }
    throw error
  }
}

const draw = (task: Drawing, beforeDecoding: BeforeDecoding): Promise<Buffer> =>
  task.kind === 'thumbnail' ? drawThumbnail(task.path, beforeDecoding) : drawLinkCard(task, beforeDecoding)

process.on('message', async (message: { task: DecoderTask; lane: Lane }) => {
  try {
    const verdict = await run(message)
    send({ is: 'verdict', verdict, peakBytes: process.resourceUsage().maxRSS * 1024 })
  } catch (error) {
    send({ is: 'bug', stack: (error as Error).stack ?? String(error) })
  }
})
// SIGKILL, because an ordinary exit would wait for the image that is being decoded.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
send({ is: 'ready' })
