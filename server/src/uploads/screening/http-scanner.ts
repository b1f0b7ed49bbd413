import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { pipeline } from 'node:stream/promises'
import { z } from 'zod'
import { observeCall } from '../../platform/outgoing/observe-call.ts'
import type { TraceHeaders } from '../../platform/tracing/trace-context.ts'
import type { ScreenedFile, Screener } from './screener.ts'

const timeoutMs = 60_000
const pingMs = 2_000
const maxReplyLength = 65_536
const Reply = z.object({ verdict: z.enum(['clean', 'match']), reason: z.string().optional() })

/** Screens a file by POSTing it to a scanner. Only a 200 with a verdict counts; redirects are not followed. */
export function httpScanner(url: string): Screener {
  return {
    name: 'scanner',
    async screen(file) {
      const reply = await observeCall({ target: 'scanner', what: 'POST' }, async (trace) =>
        Reply.parse(JSON.parse(await post(url, file, trace))),
      )
      if (reply.verdict === 'clean') return undefined
      return { kind: 'held', reason: 'scanner', match: (reply.reason ?? 'no reason given').slice(0, 200) }
    },
    // Any response shows that the scanner is there.
    async verify() {
      await fetch(url, { method: 'HEAD', redirect: 'manual', signal: AbortSignal.timeout(pingMs) })
    },
  }
}

async function post(url: string, { path, mediaType, signal }: ScreenedFile, trace: TraceHeaders): Promise<string> {
  const limited = AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])])
  const length = (await stat(path)).size
  const headers = { ...trace, 'content-type': mediaType, 'content-length': length, accept: 'application/json' }
  const request = url.startsWith('https:') ? requestHttps : requestHttp
  const sending = request(url, { method: 'POST', headers, signal: limited })
  const responding = new Promise<IncomingMessage>((resolve, reject) => {
    sending.once('response', resolve)
    // Not `once`: a broken connection can emit several errors, and an unhandled one would end the process.
    sending.on('error', reject)
  })
  // Errors while sending are ignored: the scanner may respond before it has read the whole file.
  pipeline(createReadStream(path), sending).catch(() => undefined)
  try {
    const response = await responding
    if (response.statusCode !== 200) throw new Error(`the scanner responded with status ${response.statusCode}`)
    return await readText(response)
  } finally {
    sending.destroy()
  }
}

async function readText(response: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = []
  let length = 0
  for await (const piece of response) {
    length += piece.length
    if (length > maxReplyLength) throw new Error("the scanner's response is too long")
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString()
}
