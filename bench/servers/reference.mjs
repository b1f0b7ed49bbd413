import { createServer } from 'node:http'
import { createRequire } from 'node:module'

// What Node alone can do: the same bytes, and where asked the same SQL, without anything of ours in between.

const { reply, reference, databaseUrl } = JSON.parse(process.argv[2])
const body = Buffer.from(reply.body, 'base64')
const headers = { 'content-length': body.length, ...(reply.contentType && { 'content-type': reply.contentType }) }

const readers = {
  'same-bytes': () => undefined,
  'same-sql': () => {
    // As the server finds it: pg is a dependency of that workspace.
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
// A statement that the schema has outgrown ends the bench here, with the database's own words.
await read?.()

const server = createServer((request, response) => {
  const answer = () => {
    response.writeHead(reply.status, headers)
    response.end(body)
  }
  const readAndAnswer = () => {
    if (read) read().then(answer, (error) => response.writeHead(500).end(String(error)))
    else answer()
  }
  if (request.method === 'GET') readAndAnswer()
  else request.resume().once('end', readAndAnswer)
})
process.on('disconnect', () => process.exit())
server.listen(0, '127.0.0.1', () => process.send({ origin: `http://127.0.0.1:${server.address().port}` }))
