// Accounts for tests, made through the API.
import { randomUUID } from 'node:crypto'
import { createClient } from '@pennypost/contract/client'
import { contract } from '@pennypost/contract/contract'
import { codeFor } from './world.mjs'

export const nanoAddress = 'nano_3t6k35gi95xu6tergt6p69ck76ogmitsa8mnijtpxm9fkcm736xtoncuohr3'
export const baseAddress = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'

/** Registers an account by email, with a publishing key. */
export async function register(world, { name, handle }) {
  const email = `${handle}@example.com`
  const anonymous = createClient(contract, { baseUrl: world.origin })
  const registrationId = randomUUID()
  await anonymous.startRegistration({
    idempotencyKey: registrationId,
    body: { email, name, handle, acceptedTerms: true },
  })
  const code = await codeFor(world, email)
  const { body: pair } = await anonymous.verifyRegistration({ params: { registrationId }, body: { code } })
  const owner = createClient(contract, { baseUrl: world.origin, token: pair.accessToken })
  const { body: issued } = await owner.issueRegistrationKey({ params: { registrationId }, body: {} })
  const publisher = createClient(contract, { baseUrl: world.origin, token: issued.key })
  return { id: issued.profile.id, key: issued.key, email, handle, name, pair, owner, publisher }
}

/** Signs a page in. */
export async function signIn({ page }, world, { pair }) {
  await page.goto(`${world.origin}/leaderboards`)
  await page.evaluate(async ({ accessToken, refreshToken }) => {
    const body = JSON.stringify({ accessToken, refreshToken })
    const reply = await fetch('/session', { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    if (!reply.ok) throw new Error(await reply.text())
    localStorage.setItem('signed-in', '1')
  }, pair)
}

/** Writes and publishes a post; returns its id. */
export async function publish(author, input) {
  const { body: draft } = await author.publisher.createPost({
    body: { language: 'en', creationMethod: 'human', creationAttested: true, ...input },
  })
  await author.publisher.publishPost({ params: { postId: draft.id } })
  return draft.id
}

/** Gets new tokens, after the clock was moved past the end of the old ones. */
export async function renewSession(world, person) {
  const anonymous = createClient(contract, { baseUrl: world.origin })
  const { body } = await anonymous.refreshSession({ body: { refreshToken: person.pair.refreshToken } })
  person.pair = body
  person.owner = createClient(contract, { baseUrl: world.origin, token: body.accessToken })
}
