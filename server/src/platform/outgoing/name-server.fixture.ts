import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'

const typeA = 1
const typeAAAA = 28

/** A name server's reply: addresses, `none` if there is no such name, or nothing at all. */
export type Answer = { readonly v4?: readonly string[]; readonly v6?: readonly string[] } | 'none' | 'silence'

/** A name server on this machine. IPv6 addresses are given as 16 bytes in hex. */
export async function nameServer(t: TestContext, answer: (name: string) => Answer) {
  const asked: string[] = []
  const socket = createSocket('udp4', (question, { port, address }) => {
    const { name, end } = readName(question)
    const type = question.readUInt16BE(end)
    asked.push(`${type === typeA ? 'A' : 'AAAA'} ${name}`)
    const said = answer(name)
    if (said === 'silence') return
    const records = said === 'none' ? [] : recordsOf(type, said)
    const header = Buffer.from(question.subarray(0, 12))
    header.writeUInt16BE(said === 'none' ? 0x8183 : 0x8180, 2)
    header.writeUInt16BE(records.length, 6)
    header.writeUInt32BE(0, 8)
    socket.send(Buffer.concat([header, question.subarray(12, end + 4), ...records]), port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  t.after(() => new Promise<void>((resolve) => socket.close(resolve)))
  return { asked, nameServers: [`127.0.0.1:${(socket.address() as AddressInfo).port}`] }
}

function readName(question: Buffer): { name: string; end: number } {
  const labels: string[] = []
  let at = 12
  while (question[at] !== 0) {
    const length = question[at]!
    labels.push(question.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), end: at + 1 }
}

function recordsOf(type: number, { v4 = [], v6 = [] }: Exclude<Answer, string>): Buffer[] {
  if (type === typeA) return v4.map((address) => record(typeA, Buffer.from(address.split('.').map(Number))))
  return v6.map((hex) => record(typeAAAA, Buffer.from(hex, 'hex')))
}

/** For the name in the question, without a time to live. */
function record(type: number, data: Buffer): Buffer {
  const start = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, data.length])
  return Buffer.concat([start, data])
}
