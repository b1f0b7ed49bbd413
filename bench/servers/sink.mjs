import { createServer } from 'node:http'

// What Node alone can receive: every byte is read and none is kept.

const server = createServer((request, response) => {
  request.resume().once('end', () => response.end('{}'))
})
process.on('disconnect', () => process.exit())
server.listen(0, '127.0.0.1', () => process.send({ origin: `http://127.0.0.1:${server.address().port}` }))
