import { once } from 'node:events'
import { type Duplex, Readable } from 'node:stream'
import type pg from 'pg'

// COPY over the protocol. node-postgres only passes its messages on to the query object.

/** A connection of node-postgres, as far as COPY needs it. Its types do not declare these. */
interface Connection {
  readonly stream: Duplex
  query(text: string): void
  sendCopyFromChunk(chunk: Uint8Array): void
  endCopyFrom(): void
  sendCopyFail(message: string): void
}

interface CopyQuery {
  submit(connection: Connection): void
  handleCopyData?(message: { readonly chunk: Buffer }): void
  handleCopyInResponse?(connection: Connection): void
  handleCommandComplete(message: { readonly text: string }): void
  handleReadyForQuery(): void
  handleError(error: Error): void
}

const submit = (client: pg.Client, query: CopyQuery): void => void client.query(query as unknown as pg.Submittable)

/** The output of a `COPY … TO STDOUT`. */
export function copyOut(client: pg.Client, text: string): Readable {
  let connection: Connection | undefined
  let isDone = false
  const output = new Readable({
    read: () => void connection?.stream.resume(),
    destroy(error, done) {
      // PostgreSQL would send the rest before it listens again, even to a request to end.
      if (!isDone) connection?.stream.destroy()
      done(error)
    },
  })
  submit(client, {
    submit(opened) {
      connection = opened
      connection.query(text)
    },
    handleCopyData({ chunk }) {
      // A copy, because the buffer of the connection is used again.
      if (!output.push(Buffer.from(chunk))) connection?.stream.pause()
    },
    handleCommandComplete() {},
    handleReadyForQuery() {
      isDone = true
      if (!output.destroyed) output.push(null)
    },
    handleError(error) {
      isDone = true
      output.destroy(error)
    },
  })
  return output
}

/** Runs a `COPY … FROM STDIN` with this input. Returns the number of rows. */
export function copyIn(client: pg.Client, text: string, input: Readable): Promise<number> {
  return new Promise((resolve, reject) => {
    let rows = 0
    // An error is reported where the input is read. Before that nobody listens, and an error without a listener ends the process.
    input.on('error', () => {})
    submit(client, {
      submit: (connection) => connection.query(text),
      handleCopyInResponse(connection) {
        sendAll(connection, input).catch((error: Error) => connection.sendCopyFail(error.message))
      },
      handleCommandComplete(message) {
        rows = Number(/^COPY (\d+)$/.exec(message.text)?.[1])
      },
      handleReadyForQuery: () => resolve(rows),
      handleError(error) {
        input.destroy()
        reject(error)
      },
    })
  })
}

async function sendAll(connection: Connection, input: Readable): Promise<void> {
  for await (const chunk of input) {
    connection.sendCopyFromChunk(chunk)
    if (connection.stream.writableNeedDrain) await once(connection.stream, 'drain')
  }
  connection.endCopyFrom()
}
