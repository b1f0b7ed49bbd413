// node smtp.mjs SMTP-PORT HTTP-PORT: accepts every email. GET /?to=ADDRESS returns the newest one to an address.
import { createServer } from 'node:http'
import { createRequire } from 'node:module'

const { SMTPServer } = createRequire(new URL('../../server/package.json', import.meta.url))('smtp-server')
const [, , smtpPort, httpPort] = process.argv
const most = 10_000
const newest = new Map()

new SMTPServer({
  disabledCommands: ['AUTH', 'STARTTLS'],
  onData(stream, { envelope }, done) {
    let text = ''
    stream.setEncoding('utf8').on('data', (part) => {
      text = (text + part).slice(0, 100_000)
    })
    stream.on('end', () => {
      for (const { address } of envelope.rcptTo) {
        newest.delete(address)
        newest.set(address, text)
      }
      for (const address of newest.keys()) {
        if (newest.size <= most) break
        newest.delete(address)
      }
      done()
    })
  },
}).listen(Number(smtpPort), '127.0.0.1')

createServer((request, reply) => {
  const text = newest.get(new URL(request.url, 'http://localhost').searchParams.get('to'))
  reply.writeHead(text === undefined ? 404 : 200, { 'content-type': 'text/plain; charset=utf-8' }).end(text)
}).listen(Number(httpPort), '127.0.0.1')
