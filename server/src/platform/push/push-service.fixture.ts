import { createDecipheriv, createECDH, hkdfSync, randomBytes } from 'node:crypto'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { importJWK, jwtVerify } from 'jose'
import { localCertificate } from '../outgoing/certificate.fixture.ts'
import type { PushTarget } from './push.ts'

/** A message that the push service accepted and the browser decrypted. */
export interface Received {
  readonly path: string
  readonly message: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** The contact of the sender. */
  readonly subject: string
  readonly senderKey: string
}

/** A browser with keys that decrypts messages (RFC 8291). */
export function browser() {
  const keys = createECDH('prime256v1')
  keys.generateKeys()
  const auth = randomBytes(16)
  const subscriptionAt = (endpoint: string): PushTarget => ({
    endpoint,
    p256dh: keys.getPublicKey('base64url'),
    auth: auth.toString('base64url'),
  })
  const open = (body: Buffer): string => {
    const salt = body.subarray(0, 16)
    const keyLength = body[20]!
    const senderKey = body.subarray(21, 21 + keyLength)
    const sealed = body.subarray(21 + keyLength)
    const derive = (secret: Buffer, by: Buffer, info: Buffer, length: number) =>
      Buffer.from(hkdfSync('sha256', secret, by, info, length))
    const words = (text: string) => Buffer.from(`${text}\0`)
    const info = Buffer.concat([words('WebPush: info'), keys.getPublicKey(), senderKey])
    const secret = derive(keys.computeSecret(senderKey), auth, info, 32)
    const key = derive(secret, salt, words('Content-Encoding: aes128gcm'), 16)
    const nonce = derive(secret, salt, words('Content-Encoding: nonce'), 12)
    const decipher = createDecipheriv('aes-128-gcm', key, nonce)
    decipher.setAuthTag(sealed.subarray(-16))
    const padded = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()])
    // The last record ends with a 2, followed by zeros.
    return padded.subarray(0, padded.lastIndexOf(2)).toString()
  }
  return { subscriptionAt, open }
}

/** Checks the sender's signature, which is for this push service only (RFC 8292). */
async function checkSender(authorization: string, audience: string) {
  const [, token = '', key = ''] = /^vapid t=([^,]+), ?k=(\S+)$/.exec(authorization) ?? []
  const point = Buffer.from(key, 'base64url')
  const coordinate = (from: number) => point.subarray(from, from + 32).toString('base64url')
  const jwk = { kty: 'EC', crv: 'P-256', x: coordinate(1), y: coordinate(33) }
  const { payload } = await jwtVerify(token, await importJWK(jwk, 'ES256'), { audience })
  if ((payload.exp ?? 0) > Date.now() / 1000 + 86_400) throw new Error('valid for too long')
  return { subject: payload.sub ?? '', senderKey: key }
}

/** A push service on this machine. It replies with the statuses in `nextStatuses`, one after the other, then 201. */
export async function pushService(t: TestContext, device: ReturnType<typeof browser>) {
  const { key, certificate } = localCertificate()
  const received: Received[] = []
  const attempts: string[] = []
  const nextStatuses: number[] = []
  const server: Server = createServer({ key, cert: certificate }, (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', async () => {
      attempts.push(request.url!)
      const status = nextStatuses.shift() ?? 201
      try {
        const sender = await checkSender(request.headers.authorization ?? '', `https://${request.headers.host}`)
        const message = device.open(Buffer.concat(chunks))
        if (status < 300) received.push({ path: request.url!, message, headers: request.headers, ...sender })
        response.writeHead(status, status >= 300 && status < 400 ? { location: 'https://127.0.0.1:1/' } : {}).end()
      } catch (error) {
        response.writeHead(400).end(String(error))
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => new Promise<void>((resolve) => server.close(() => resolve())))
  const { port } = server.address() as AddressInfo
  return { origin: `https://127.0.0.1:${port}`, port, certificate, received, attempts, nextStatuses }
}
