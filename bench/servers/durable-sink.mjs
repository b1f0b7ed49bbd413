import { open, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'

// What uploads can reach at best: node:http that computes the checksum of every body, writes it and flushes it. No database, no
// limits and no fair turns.

const { folder } = JSON.parse(process.argv[2])
const pieceBytes = 192 * 1024
let count = 0

async function store(request) {
  const path = join(folder, `part-${count++}`)
  const file = await open(path, 'wx')
  let checksum = 0
  let piece = []
  let pieceLength = 0
  const write = async () => {
    if (pieceLength > 0) await file.writev(piece)
    piece = []
    pieceLength = 0
  }
  for await (const chunk of request) {
    checksum = crc32(chunk, checksum)
    piece.push(chunk)
    pieceLength += chunk.length
    if (pieceLength >= pieceBytes) await write()
  }
  await write()
  await file.datasync()
  await file.close()
  await rm(path)
  return checksum
}

const server = createServer(async (request, response) => {
  const checksum = await store(request)
  response.end(JSON.stringify({ checksum }))
})
process.on('disconnect', () => process.exit())
server.listen(0, '127.0.0.1', () => process.send({ origin: `http://127.0.0.1:${server.address().port}` }))
