// node s3.mjs PORT FOLDER: an S3 server with one bucket. While there is a file FOLDER-full, it stores nothing, and replies with
// the status in that file.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'

const S3rver = createRequire(new URL('../../server/package.json', import.meta.url))('s3rver')
const [, , port, directory] = process.argv
const configureBuckets = [{ name: 'pennypost', configs: [] }]
const store = new S3rver({ silent: true, directory, configureBuckets })
await store.configureBuckets()
const handle = store.callback()

createServer((request, reply) => {
  const status = ['PUT', 'POST'].includes(request.method) && statusWhenFull()
  if (!status) return handle(request, reply)
  request.resume()
  reply.writeHead(status, { 'content-type': 'application/xml' })
  reply.end('<Error><Code>InsufficientStorage</Code><Message>There is no room.</Message></Error>')
}).listen(Number(port), '127.0.0.1')

function statusWhenFull() {
  try {
    return Number(readFileSync(`${directory}-full`, 'utf8'))
  } catch {
    return undefined
  }
}
