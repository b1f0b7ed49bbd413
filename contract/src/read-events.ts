/** The text of one event. */
export interface TextEvent {
  readonly event: string
  readonly data: string
}

// Far more than any record of the service. A stream without line ends would fill the memory otherwise.
const maxEventCharacters = 1_048_576
// The service sends something every 15 seconds. After three times as long the connection counts as lost, even without an
// error.
const maxSilenceMs = 45_000

/**
 * Reads `text/event-stream`: yields each event as it arrives, and holds no more than one unfinished event. Stopping early
 * closes the connection. `id` and `retry` are ignored: a stream of this service starts with the whole record, so a
 * client that connects again has missed nothing. Throws if nothing at all arrives for `silenceMs`.
 */
export async function* readEvents(
  bytes: ReadableStream<Uint8Array>,
  silenceMs: number = maxSilenceMs,
): AsyncGenerator<TextEvent> {
  const reader = bytes.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let event = ''
  let data: string[] = []
  let held = 0
  try {
    for (;;) {
      const { value, done } = await readWithin(reader, silenceMs)
      // An event that its empty line did not finish is dropped, as the standard says.
      if (done) return
      text += decoder.decode(value, { stream: true })
      // A carriage return at the end may be the first half of a line end.
      const lines = text.split(/\r\n|\n|\r(?!$)/)
      text = lines.pop()!
      for (const line of lines) {
        held += line.length
        if (line === '') {
          if (data.length > 0) yield { event: event || 'message', data: data.join('\n') }
          event = ''
          data = []
          held = 0
          continue
        }
        const [, field = '', content = ''] = /^([^:]*):? ?(.*)$/s.exec(line)!
        if (field === 'event') event = content
        if (field === 'data') data.push(content)
      }
      if (held + text.length > maxEventCharacters) throw new Error('an event of the stream is too long')
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}

async function readWithin(reader: ReadableStreamDefaultReader<Uint8Array>, silenceMs: number) {
  let timer: ReturnType<typeof setTimeout> | undefined
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('the stream has been silent for too long')), silenceMs)
  })
  try {
    return await Promise.race([reader.read(), silence])
  } finally {
    clearTimeout(timer)
  }
}
