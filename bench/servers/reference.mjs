import { createServer } from 'node:http'
import { createRequire } from 'node:module'

// The reference: node:http that sends the same bytes, optionally after the same SQL, without any of our code.

const { reply, reference, databaseUrl } = JSON.parse(process.argv[2])
const body = Buffer.from(reply.body, 'base64')
const headers = { 'content-length': body.length, ...(reply.contentType && { 'content-type': reply.contentType }) }

const readers = {
  'same-bytes': () => undefined,
  'same-sql': () => {
    // pg is a dependency of the server's workspace, so it is resolved from there.
    const pg = createRequire(new URL('../../server/package.json', import.meta.url))('pg')
    const pool = new pg.Pool({ connectionString: databaseUrl, max: 20 })
    const statements = reference.statements.map(({ text, values = [] }, index) => ({
      name: `reference-${index}`,
      text,
      values,
    }))
    return async () => {
      for (const statement of statements) await pool.query(statement)
    }
  },
}
const read = readers[reference.kind]()
// A statement that no longer fits the schema fails here, with the database's error.
await read?.()

const server = createServer((request, response) => {
  const respond = () => {
    response.writeHead(reply.status, headers)
    response.end(body)
  }
  const readAndRespond = () => {
    if (read) read().then(respond, (error) => response.writeHead(500).end(String(error)))
    else respond()
  }
  if (request.method === 'GET') readAndRespond()
  else request.resume().once('end', readAndRespond)
})
process.on('disconnect', () => process.exit())
server.listen(0, '127.0.0.1', () => process.send({ origin: `http://127.0.0.1:${server.address().port}` }))
