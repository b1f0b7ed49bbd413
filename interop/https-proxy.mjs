// HTTPS in front of the service, with its own certificate, for clients that use nothing else.
import { once } from 'node:events'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { createServer } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { localCertificate } from '../server/dist/platform/outgoing/certificate.fixture.js'

/** Listens, and forwards to `target`, an origin that may be set later. Clients trust it with NODE_EXTRA_CA_CERTS. */
export async function openHttpsProxy() {
  const { key, certificate } = localCertificate()
  const proxy = { target: '' }
  const server = createServer({ key, cert: certificate }, (incoming, outgoing) => {
    const { method, url, headers } = incoming
    const forwarded = request(new URL(url, proxy.target), { method, headers }, (reply) => {
      outgoing.writeHead(reply.statusCode, reply.headers)
      reply.pipe(outgoing)
    })
    forwarded.on('error', () => outgoing.destroy())
    incoming.pipe(forwarded)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const certificateFile = join(mkdtempSync(join(tmpdir(), 'pennypost-interop-')), 'certificate.pem')
  writeFileSync(certificateFile, certificate)
  return Object.assign(proxy, {
    origin: `https://localhost:${server.address().port}`,
    certificateFile,
    close() {
      server.closeAllConnections()
      server.close()
    },
  })
}
