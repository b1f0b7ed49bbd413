import { createHash, randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { createClient } from '../../contract/dist/client.js'
import { contract, developmentContract } from '../../contract/dist/contract.js'
import { pngOf } from '../../server/dist/uploads/screening/images/image-builder.fixture.js'
import { zipOf } from '../../server/dist/uploads/screening/zip/zip-builder.fixture.js'

const operations = { ...contract, ...developmentContract }
const genesisAddress = 'nano_3t6k35gi95xu6tergt6p69ck76ogmitsa8mnijtpxm9fkcm736xtoncuohr3'
const baseAddress = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const post = {
  title: 'On looms',
  freeContentMarkdown: 'A *loom* weaves. #weaving',
  tags: ['weaving'],
  category: 'technology',
  language: 'en',
  creationMethod: 'human',
  creationAttested: true,
}
const paid = {
  enablePaywall: true,
  paidContentMarkdown: 'How the first one worked.',
  priceCurrency: 'XNO',
  priceAtomic: '100000000000000000000000000000',
}

export const imageFile = pngOf(12, 8)
export const zipFile = zipOf([{ name: 'readme.txt', content: 'Hello' }])
export const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex')

/** An administrator who is never part of the fuzzing. It undoes what fuzzed administrators do to the whole site. */
export async function createKeeper(origin) {
  const keeper = await register(origin)
  await clientOf(origin).makeAdmin({ body: { profileId: keeper.accountId } })
  return {
    /** Opens the registration again. Returns false if the keeper is locked out, which must not happen. */
    async tidyUp() {
      const refreshed = await clientOf(origin).refreshSession({ body: { refreshToken: keeper.refreshToken } })
      Object.assign(keeper, refreshed.body)
      const owner = clientOf(origin, keeper.accessToken)
      await owner.updateSiteSettings({ body: { registration: 'open' } })
    },
    deadJobs: async () => (await clientOf(origin, keeper.accessToken).listDeadJobs({})).body,
  }
}

/** Fills a service through its API, and returns what requests can name: credentials, and ids in `known`. */
export async function seedService(origin, known) {
  const [author, other, reader, admin, leaver] = await Promise.all([1, 2, 3, 4, 5].map(() => register(origin)))
  await clientOf(origin).makeAdmin({ body: { profileId: admin.accountId } })
  const credentials = {
    owner: [author.accessToken, other.accessToken, reader.accessToken],
    admin: [admin.accessToken],
    key: [author.key, other.key],
    guest: [],
    poll: [],
    checkout: [],
  }
  for (const person of [author, other, reader, admin]) {
    known.keep('email', person.email)
    known.keep('handle', person.handle)
  }
  // A refresh token that is used twice ends its session, so only this one is given away.
  known.keep('refreshToken', leaver.refreshToken)
  for (const person of [author, other, reader, admin]) {
    const { accountId, keyId, registrationId } = person
    known.keepScene(tokensOf(person), { accountId, keyId, registrationId })
  }
  known.keep('amount', '0.5', '1', '0.001')
  known.keep('amountRaw', '500000000000000000000000000000')
  known.keep('amountAtomic', '250000', '100000')
  known.keep('payoutAddress', genesisAddress, baseAddress)
  known.keep('address', genesisAddress, baseAddress)
  known.keep('endpoint', 'https://127.0.0.1:1/push')
  known.keep('invitation', 'not-an-invitation')
  known.keep('language', 'en', 'de')
  known.keep('category', 'technology', 'science')
  known.keep('intent', 'content', 'og')
  known.keep('filename', 'engines.zip')
  known.keep('url', 'https://example.com/a')
  known.keep('logoUrl', 'https://example.com/a.png')
  known.keep('sha256', sha256(zipFile))

  const paidPosts = []
  for (const person of [author, other]) {
    const owner = clientOf(origin, person.accessToken)
    const publisher = clientOf(origin, person.key)
    await owner.savePayoutAddress({ body: { payoutAddress: genesisAddress } })
    await owner.saveBasePayoutAddress({ body: { payoutAddress: baseAddress } })
    const free = await addPost(publisher, {})
    const sold = await addPost(publisher, paid)
    const inUsdc = await addPost(publisher, { ...paid, priceCurrency: 'USDC', priceAtomic: '250000' })
    const draft = (await publisher.createPost({ body: { ...post, ...paid } })).body
    paidPosts.push(sold)
    for (const postId of [free, sold, inUsdc]) known.keepScene(tokensOf(person), { postId })
    await addFiles(publisher, draft, { known, tokens: tokensOf(person) })
    await addDiscussion(owner, free, { known, tokens: tokensOf(person) })
  }
  const readerClient = clientOf(origin, reader.accessToken)
  await addDiscussion(readerClient, paidPosts[0], { known, tokens: tokensOf(reader) })
  await readerClient.updateFollow({ params: { creatorId: author.accountId }, body: { following: true } })
  await addReports(readerClient, clientOf(origin, admin.accessToken), paidPosts, known)
  await addOrders(origin, { readerClient, reader, post: paidPosts[0], other: paidPosts[1], known, credentials })
  await addLogins(origin, known, credentials)
  return { credentials }
}

const tokensOf = ({ accessToken, key }) => ({ owner: accessToken, key })
const clientOf = (origin, token) => createClient(operations, { baseUrl: origin, ...(token && { token }) })

async function register(origin) {
  const stranger = clientOf(origin)
  const registrationId = randomUUID()
  const email = `fuzz-${registrationId}@example.com`
  const handle = `fuzz_${registrationId.slice(0, 8)}`
  const body = { email, name: 'Fuzz', handle, acceptedTerms: true }
  await stranger.startRegistration({ idempotencyKey: registrationId, body })
  const code = await until(
    async () => (await stranger.readCapturedMail({ query: { to: email } })).body.messages[0]?.code,
  )
  const { body: pair } = await stranger.verifyRegistration({ params: { registrationId }, body: { code } })
  const owner = clientOf(origin, pair.accessToken)
  const { key, apiKey } = (await owner.issueRegistrationKey({ params: { registrationId }, body: {} })).body
  const { id: accountId } = (await owner.getMe({})).body
  return { registrationId, email, handle, accountId, key, keyId: apiKey.keyId, ...pair }
}

async function addPost(publisher, fields) {
  const { body } = await publisher.createPost({ body: { ...post, ...fields } })
  await publisher.publishPost({ params: { postId: body.id } })
  return body.id
}

async function addFiles(publisher, { id: postId, updatedAt }, { known, tokens }) {
  const avatar = new FormData()
  avatar.set('file', new Blob([imageFile], { type: 'image/png' }), 'a.png')
  const key = randomUUID()
  const uploaded = await publisher.uploadAvatar({ idempotencyKey: key, body: avatar })
  known.keep('operationId', uploaded.body.operation?.id ?? uploaded.body.id ?? randomUUID())
  const form = new FormData()
  form.set('sha256', sha256(zipFile))
  form.set('file', new Blob([zipFile], { type: 'application/zip' }), 'engines.zip')
  const attached = await publisher.uploadAttachment({
    params: { postId },
    headers: { 'x-post-revision': updatedAt },
    idempotencyKey: randomUUID(),
    body: form,
  })
  const { id: assetId, operation } = attached.body.attachment
  known.keepScene(tokens, { postId, assetId, operationId: operation.id })
  known.keep('idempotencyKey', key)
}

async function addDiscussion(owner, postId, { known, tokens }) {
  const params = { postId }
  const { body } = await owner.addComment({ params, idempotencyKey: randomUUID(), body: { content: 'Yes' } })
  known.keepScene(tokens, { postId, commentId: body.id })
  await owner.reactToPost({ params, body: { reaction: 'heart' } })
}

async function addReports(reader, admin, [postId], known) {
  await reader.reportPost({ params: { postId }, idempotencyKey: randomUUID(), body: { reason: 'spam' } })
  const { body } = await admin.listReports({})
  known.collect('listReports', body, firstPick)
  const invitation = await admin.createInvitation({ body: { label: 'a friend' } })
  known.collect('createInvitation', invitation.body, firstPick)
}

async function addOrders(origin, { readerClient, reader, post: postId, other, known, credentials }) {
  const stranger = clientOf(origin)
  const order = await readerClient.createPurchase({ idempotencyKey: randomUUID(), body: { postId } })
  known.collect('createPurchase', order.body, firstPick)
  const tip = await readerClient.tipPost({
    params: { postId },
    idempotencyKey: randomUUID(),
    body: { amount: '0.5' },
  })
  const [purchaseId, sessionId] = [order, tip].map(
    ({ body: { id, purchaseId: own, sessionId: tipId } }) => id ?? own ?? tipId,
  )
  known.keepScene(tokensOf(reader), { postId, purchaseId, sourceKind: 'purchase', sourceId: purchaseId })
  known.keepScene(tokensOf(reader), { postId, sessionId, sourceKind: 'tip', sourceId: sessionId })
  // A guest pays for a post; the credential of its checkout then returns the session of an anonymous account.
  const { body } = await stranger.createCheckout({
    idempotencyKey: randomUUID(),
    body: { postId: other, asset: 'XNO' },
  })
  credentials.checkout.push(body.checkoutCredential)
  known.keepScene({ checkout: body.checkoutCredential }, { checkoutId: body.checkout.id, postId: other })
  known.keep('checkoutCredential', body.checkoutCredential)
  await stranger.sendFromNanoFaucet({ body: { to: body.payment.address, amountRaw: body.payment.amountRaw } })
  const guest = clientOf(origin, body.checkoutCredential)
  const session = await until(
    async () => (await guest.getCheckout({ params: { checkoutId: body.checkout.id } })).body.session,
  )
  credentials.guest.push(session.accessToken)
}

async function addLogins(origin, known, credentials) {
  const stranger = clientOf(origin)
  const { body } = await stranger.startNanoChallenge({ body: { account: genesisAddress } })
  known.keepScene({ poll: body.pollSecret }, { challengeId: body.challengeId })
  credentials.poll.push(body.pollSecret)
  known.keep('pollSecret', body.pollSecret)
  const transfer = await stranger.startNanoTransfer({ body: { requestSecret: randomUUID() } })
  known.collect('startNanoTransfer', transfer.body, firstPick)
}

const firstPick = { int: () => 0 }

async function until(read) {
  for (let attempt = 0; attempt < 600; attempt += 1) {
    const found = await read()
    if (found) return found
    await wait(100)
  }
  throw new Error('The service did not do within a minute what the seeds need.')
}
