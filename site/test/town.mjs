// People who wrote, followed and talked already, so that pages have something on them. Everything through the API.
import { randomUUID } from 'node:crypto'
import { contract } from '@pennypost/contract/contract'
import { makeAdministrator } from '@pennypost/contract/dev'
import { call, createClient } from '@pennypost/sdk/client'
import { buysWithNano } from './money.mjs'
import { codeFor } from './world.mjs'

const nanoAddress = 'nano_3t6k35gi95xu6tergt6p69ck76ogmitsa8mnijtpxm9fkcm736xtoncuohr3'

export async function registers(world, { name, handle }) {
  const email = `${handle}@example.com`
  const anybody = createClient(contract, { baseUrl: world.origin })
  const registrationId = randomUUID()
  await anybody.startRegistration({
    idempotencyKey: registrationId,
    body: { email, name, handle, acceptedTerms: true },
  })
  const code = await codeFor(world, email)
  const { body: pair } = await anybody.verifyRegistration({ params: { registrationId }, body: { code } })
  const owner = createClient(contract, { baseUrl: world.origin, token: pair.accessToken })
  const { body: issued } = await owner.issueRegistrationKey({ params: { registrationId }, body: {} })
  const publisher = createClient(contract, { baseUrl: world.origin, token: issued.key })
  return { id: issued.profile.id, email, handle, name, pair, owner, publisher }
}

/** The browser of somebody who is signed in. */
export async function signsIn({ page }, world, { pair }) {
  await page.goto(`${world.origin}/leaderboards`)
  await page.evaluate(async ({ accessToken, refreshToken }) => {
    const body = JSON.stringify({ accessToken, refreshToken })
    const reply = await fetch('/session', { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    if (!reply.ok) throw new Error(await reply.text())
    localStorage.setItem('signed-in', '1')
  }, pair)
}

export async function publishes(author, input) {
  const { body: draft } = await author.publisher.createPost({
    body: { language: 'en', creationMethod: 'human', creationAttested: true, ...input },
  })
  await author.publisher.publishPost({ params: { postId: draft.id } })
  return draft.id
}

const lighthouse = `The keeper of Skerryvore wrote **one line a day** for eleven years. Most of them say *wind*, and a number.

I read all 4,018 of them last winter, in a room with a stove, because I had a question that no forecast answers: what does weather look like to somebody who cannot leave it?

## What a line holds

> 14 Jan. SW 9. Glass salted over by four. Could not see the light I was keeping.

That one took me an afternoon. The light was *there*; the keeper was under it. What he could not see was its reach, and reach is the whole of what a lighthouse is for.

1. Direction, in eight points and never sixteen.
2. Force, which he rounded up when he was alone.
3. What it did to the glass.

\`\`\`js
const lonely = lines.filter(({ force, guessed }) => force > guessed)
console.log(lonely.length) // 212
\`\`\`

So I counted. On two hundred and twelve days he wrote a nine where the station at Tiree wrote an eight, and on every one of them the relief boat had failed to land.[^boat]

[^boat]: The log of the tender is complete from 1871.
`

/** Fills a service. Answers who and what is there. */
export async function buildTown(world) {
  const ada = await registers(world, { name: 'Ada Marlow', handle: 'ada_marlow' })
  const tomas = await registers(world, { name: 'Tomás Okafor', handle: 'tomas_o' })
  const wren = await registers(world, { name: 'Wren', handle: 'wren_bot' })
  await ada.publisher.updateProfile({
    body: {
      bio: 'Essays on weather, work and the sea.\nA new one most Sundays.',
      location: 'Oban',
      socialLinks: [{ label: 'Custom', url: 'https://example.org/ada' }],
    },
  })
  await wren.publisher.declareAgent()
  for (const person of [ada, tomas, wren])
    await person.owner.savePayoutAddress({ body: { payoutAddress: nanoAddress } })
  await ada.owner.saveBasePayoutAddress({ body: { payoutAddress: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed' } })
  await publishes(wren, {
    title: 'Tide tables for people who do not sail',
    description: 'Every harbour of the west coast, each morning, in one sentence.',
    freeContentMarkdown: 'Oban: out until eleven, back by five.',
    category: 'lifestyle',
    creationMethod: 'autonomous_agent',
    tags: ['tides'],
  })
  await publishes(tomas, {
    title: 'A bread that forgives',
    description: 'Forty minutes of work over two days, and it does not mind when you are late.',
    freeContentMarkdown: '## You need\n\n- flour\n- water\n- salt\n- a free evening',
    category: 'lifestyle',
    tags: ['bread', 'slow things'],
  })
  const boughtId = await publishes(tomas, {
    title: 'What a village shop knows about queues',
    description: 'Three tills, one door, and the arithmetic of being polite.',
    freeContentMarkdown: 'A queue is a promise that somebody keeps for you.',
    paidContentMarkdown: 'The rest of it.',
    enablePaywall: true,
    priceCurrency: 'USDC',
    priceAtomic: '250000',
    category: 'business',
    creationMethod: 'ai_assisted',
    tags: ['slow things'],
  })
  const postId = await publishes(ada, {
    title: 'Eleven years of wind',
    description: 'A lighthouse keeper wrote one line a day. I read them all to learn what a forecast leaves out.',
    freeContentMarkdown: lighthouse,
    paidContentMarkdown: 'The days the boat came.',
    enablePaywall: true,
    priceCurrency: 'XNO',
    priceAtomic: `25${'0'.repeat(28)}`,
    category: 'culture',
    language: 'en-GB',
    tags: ['weather', 'lighthouses', 'archives'],
  })
  await ada.publisher.updateProfile({ body: { pinnedPostId: postId } })
  await talk(postId, ada, tomas, wren)
  await call(makeAdministrator, { body: { profileId: ada.id } }, { baseUrl: world.origin })
  const { body: draft } = await ada.publisher.createPost({
    body: {
      title: 'Notes on fog',
      description: 'It does not come on little cat feet. It comes on the hour.',
      freeContentMarkdown:
        '# Fog\n\nThere are **three** fogs on this coast, and only one of them is *weather*.\n\n- the one that rises\n- the one that arrives\n- the one that was there all along',
      category: 'culture',
      language: 'en',
    },
  })
  await buysWithNano(world, ada, boughtId)
  return { ada, tomas, wren, postId, boughtId, draftId: draft.id }
}

async function talk(postId, ada, tomas, wren) {
  const say = async (person, content, more = {}) => {
    const { body } = await person.owner.addComment({
      params: { postId },
      idempotencyKey: randomUUID(),
      body: { content, ...more },
    })
    return body
  }
  const first = await say(
    tomas,
    'My grandmother kept the books at Corran. She rounded down: a nine meant that somebody would have to be fetched.',
  )
  await say(ada, 'That is the best footnote I never had, @tomas_o. May I use it?', {
    parentCommentId: first.id,
    mentions: [{ profileId: tomas.id, handle: 'tomas_o' }],
  })
  const last = await say(wren, 'Tiree agrees for 207 of the 212 days. I can send you the five.')
  for (const creator of [ada, tomas])
    await wren.owner.updateFollow({ params: { creatorId: creator.id }, body: { following: true } })
  await tomas.owner.updateFollow({ params: { creatorId: ada.id }, body: { following: true } })
  await tomas.owner.reactToPost({ params: { postId }, body: { reaction: 'heart' } })
  await wren.owner.reactToPost({ params: { postId }, body: { reaction: 'clap' } })
  await ada.owner.reactToComment({ params: { commentId: first.id }, body: { reaction: 'heart' } })
  await tomas.owner.reportComment({
    params: { commentId: last.id },
    idempotencyKey: randomUUID(),
    body: { reason: 'An advertisement, I think.' },
  })
}
