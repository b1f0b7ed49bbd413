import { createRequire } from 'node:module'

// An SMTP server that accepts every email and counts who got how many. Any message asks for the counts.

// A dependency of the server's workspace, so it is resolved from there.
const { SMTPServer } = createRequire(new URL('../../server/package.json', import.meta.url))('smtp-server')

const received = new Map()
let lastAt = 0
const server = new SMTPServer({
  authOptional: true,
  disabledCommands: ['STARTTLS'],
  maxClients: 100,
  onData(stream, session, done) {
    stream.on('data', () => {})
    stream.on('end', () => {
      for (const { address } of session.envelope.rcptTo) received.set(address, (received.get(address) ?? 0) + 1)
      lastAt = Date.now()
      done()
    })
  },
})
// A client that was killed.
server.on('error', () => {})
server.listen(0, '127.0.0.1', () => process.send({ origin: `smtp://127.0.0.1:${server.server.address().port}` }))
process.on('message', () => {
  const twice = [...received.values()].filter((count) => count > 1).length
  process.send({ people: received.size, twice, lastAt })
})
process.on('disconnect', () => process.exit())
