import { createServer } from 'node:http'

// The reference for uploads: node:http that reads every byte and stores none.

const server = createServer((request, response) => {
  request.resume().once('end', () => response.end('{}'))
})
process.on('disconnect', () => process.exit())
server.listen(0, '127.0.0.1', () => process.send({ origin: `http://127.0.0.1:${server.address().port}` }))
