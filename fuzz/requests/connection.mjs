import { connect } from 'node:net'

/**
 * A keep-alive connection that writes any bytes and reads HTTP replies. Node's own clients refuse to send most of what
 * we want to try: a wrong Content-Length, a control character in a header, half a request.
 */
export class Connection {
  /** The request before, for the report. */
  previous
  #port
  #socket
  #received = Buffer.alloc(0)
  #isEnded = false
  #wake = () => {}

  constructor(port) {
    this.#port = port
  }

  /**
   * Sends a request and reads its reply. The reply is `{ status, headers, body }`; `{ isHung: true }` if none came in
   * time; or `{ isClosed: true }` if the service closed the connection instead.
   */
  async send(bytes, { isHead = false, isHalf = false, timeoutMs = 30_000 } = {}) {
    await this.#open()
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      this.close()
    }, timeoutMs)
    try {
      this.#socket.write(bytes)
      // Half a request: the service would wait for the rest, so we say that nothing follows.
      if (isHalf) this.#socket.end()
      const reply = await this.#readReply(isHead)
      if (isHalf || !reply || reply.isLeft || reply.headers.get('connection') === 'close') this.close()
      return isLate ? { isHung: true } : (reply ?? { isClosed: true })
    } finally {
      clearTimeout(timer)
    }
  }

  close() {
    this.#socket?.destroy()
    this.#socket = undefined
    this.#isEnded = true
    this.#wake()
  }

  async #open() {
    if (this.#socket && !this.#isEnded) return
    this.#socket?.destroy()
    this.#received = Buffer.alloc(0)
    this.#isEnded = false
    const socket = connect({ port: this.#port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true })
    this.#socket = socket
    const end = () => {
      if (this.#socket === socket) this.#isEnded = true
      this.#wake()
    }
    socket.on('data', (data) => {
      if (this.#socket !== socket) return
      this.#received = this.#received.length === 0 ? data : Buffer.concat([this.#received, data])
      this.#wake()
    })
    socket.on('error', end).on('end', end).on('close', end)
    await new Promise((resolve) => socket.once('connect', resolve).once('close', resolve))
  }

  /** Waits until `read` returns something, or until the connection has ended. */
  async #until(read) {
    for (;;) {
      const found = read(this.#received)
      if (found !== undefined) return found
      if (this.#isEnded) return undefined
      await new Promise((resolve) => {
        this.#wake = resolve
      })
    }
  }

  #take(length) {
    const taken = this.#received.subarray(0, length)
    this.#received = this.#received.subarray(length)
    return taken
  }

  async #readReply(isHead) {
    const end = await this.#until((bytes) => {
      const at = bytes.indexOf('\r\n\r\n')
      return at < 0 ? undefined : at + 4
    })
    if (end === undefined) return undefined
    const [statusLine, ...lines] = this.#take(end).toString('latin1').trimEnd().split('\r\n')
    const status = Number(statusLine.split(' ')[1])
    if (status < 200) return this.#readReply(isHead)
    const headers = new Map()
    for (const line of lines) {
      const colon = line.indexOf(':')
      headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim())
    }
    if (isHead || status === 204 || status === 304) return { status, headers, body: Buffer.alloc(0) }
    // An event stream stays open as long as the order does. It is opened and left.
    if (headers.get('content-type')?.startsWith('text/event-stream'))
      return { status, headers, body: Buffer.alloc(0), isLeft: true }
    if (headers.get('transfer-encoding') === 'chunked') return { status, headers, body: await this.#readChunks() }
    const length = headers.get('content-length')
    const isComplete = (bytes) => (bytes.length >= Number(length) ? true : undefined)
    if (length === undefined) await this.#until(() => undefined)
    else if (!(await this.#until(isComplete))) return undefined
    return { status, headers, body: this.#take(length === undefined ? this.#received.length : Number(length)) }
  }

  async #readChunks() {
    const parts = []
    for (;;) {
      const at = await this.#until((bytes) => (bytes.indexOf('\r\n') < 0 ? undefined : bytes.indexOf('\r\n')))
      if (at === undefined) return Buffer.concat(parts)
      const size = Number.parseInt(this.#received.toString('latin1', 0, at), 16)
      if (!(await this.#until((bytes) => (bytes.length >= at + 2 + size + 2 ? true : undefined))))
        return Buffer.concat(parts)
      parts.push(this.#take(at + 2 + size + 2).subarray(at + 2, at + 2 + size))
      if (size === 0) return Buffer.concat(parts)
    }
  }
}
