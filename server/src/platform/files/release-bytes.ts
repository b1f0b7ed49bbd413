import { MessageChannel } from 'node:worker_threads'

// Memory that is transferred to a closed port is freed.
const { port1: closedPort } = new MessageChannel()
closedPort.close()

/**
 * Frees the memory of buffers now, instead of at a later garbage collection. The buffers are empty afterwards, so the
 * caller must no longer need them. Node allocates a buffer of up to 64 KB outside of V8's heap for every read of a socket.
 * When V8 counts many of these, it collects the whole heap, which costs far more than the reads. A buffer that shares its
 * memory with others is left alone, and so is an empty one, which may be sent more than once.
 */
export function releaseBytes(chunks: readonly Uint8Array[]): void {
  const whole = chunks.filter(({ byteLength, buffer }) => byteLength > 0 && byteLength === buffer.byteLength)
  closedPort.postMessage(
    undefined,
    whole.map(({ buffer }) => buffer as ArrayBuffer),
  )
}
