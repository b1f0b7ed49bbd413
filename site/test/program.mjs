// A program that people connect by OAuth.
import { createHash, randomBytes } from 'node:crypto'

/** Registers a program. `path` is where it asks for access; `allow` gives it, as the person would in a browser. */
export async function startProgram({ origin }, client_name, redirect_uri) {
  const send = async (path, headers, body) => {
    const reply = await fetch(origin + path, { method: 'POST', headers, body, redirect: 'manual' })
    if (reply.status >= 400) throw new Error(`${path}: ${await reply.text()}`)
    return reply
  }
  const registration = JSON.stringify({ client_name, redirect_uris: [redirect_uri] })
  const registered = await send('/oauth/register', { 'content-type': 'application/json' }, registration)
  const { client_id } = await registered.json()
  const code_verifier = randomBytes(32).toString('base64url')
  const path = `/oauth/authorize?${new URLSearchParams({
    response_type: 'code',
    client_id,
    redirect_uri,
    scope: 'read interact publish',
    code_challenge: createHash('sha256').update(code_verifier).digest('base64url'),
    code_challenge_method: 'S256',
  })}`
  const allow = async ({ pair }) => {
    const cookie = `pennypost=${pair.accessToken}~${pair.refreshToken}`
    const page = await (await fetch(origin + path, { headers: { cookie } })).text()
    const form = new URLSearchParams({ request: /name="request" value="([^"]+)"/.exec(page)[1], decision: 'allow' })
    for (const [, scope] of page.matchAll(/name="scope" value="(\w+)"/g)) form.append('scope', scope)
    const answered = await send('/oauth/authorize', { cookie }, form)
    const code = new URL(answered.headers.get('location')).searchParams.get('code')
    const fields = { grant_type: 'authorization_code', client_id, code, code_verifier, redirect_uri }
    await send('/oauth/token', {}, new URLSearchParams(fields))
  }
  return { path, allow }
}
