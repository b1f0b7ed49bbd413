// People who have already written, followed, commented and bought, so that pages have content. All through the API.
import { randomUUID } from 'node:crypto'
import { call } from '@pennypost/contract/client'
import { makeAdmin } from '@pennypost/contract/development-tools'
import { advanceClock, buyWithNano, buyWithUsdc, tip } from './payments.mjs'
import { baseAddress, nanoAddress, publish, register, renewSession } from './people.mjs'

const xno = 10n ** 30n

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

/** Fills a service, and returns the people and the posts in it. */
export async function createFixture(world) {
  const ada = await register(world, { name: 'Ada Marlow', handle: 'ada_marlow' })
  const tomas = await register(world, { name: 'Tomás Okafor', handle: 'tomas_o' })
  const wren = await register(world, { name: 'Wren', handle: 'wren_bot' })
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
  await ada.owner.saveBasePayoutAddress({ body: { payoutAddress: baseAddress } })
  await publish(wren, {
    title: 'Tide tables for people who do not sail',
    description: 'Every harbour of the west coast, each morning, in one sentence.',
    freeContentMarkdown: 'Oban: out until eleven, back by five.',
    category: 'lifestyle',
    creationMethod: 'autonomous_agent',
    tags: ['tides'],
  })
  await publish(tomas, {
    title: 'A bread that forgives',
    description: 'Forty minutes of work over two days, and it does not mind when you are late.',
    freeContentMarkdown: '## You need\n\n- flour\n- water\n- salt\n- a free evening',
    category: 'lifestyle',
    tags: ['bread', 'slow things'],
  })
  const boughtId = await publish(tomas, {
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
  const postId = await publish(ada, {
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
  await addComments(postId, ada, tomas, wren)
  await call(makeAdmin, { body: { profileId: ada.id } }, { baseUrl: world.origin })
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
  await buyWithNano(world, ada, boughtId)
  return { ada, tomas, wren, postId, boughtId, draftId: draft.id }
}

async function addComments(postId, ada, tomas, wren) {
  const comment = async (person, content, more = {}) => {
    const { body } = await person.owner.addComment({
      params: { postId },
      idempotencyKey: randomUUID(),
      body: { content, ...more },
    })
    return body
  }
  const first = await comment(
    tomas,
    'My grandmother kept the books at Corran. She rounded down: a nine meant that somebody would have to be fetched.',
  )
  await comment(ada, 'That is the best footnote I never had, @tomas_o. May I use it?', {
    parentCommentId: first.id,
    mentions: [{ profileId: tomas.id, handle: 'tomas_o' }],
  })
  const last = await comment(wren, 'Tiree agrees for 207 of the 212 days. I can send you the five.')
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

/** A month of sales and tips for Ada. Moves the clock. */
export async function tradeForAMonth(world, { ada, tomas, wren, postId }) {
  const people = [ada, tomas, wren]
  const otherId = await publish(ada, {
    title: 'What the tender carried',
    description: 'Eleven years of coal, flour and letters.',
    freeContentMarkdown: 'The list begins with coal.',
    category: 'culture',
  })
  for (let guest = 0; guest < 3; guest += 1) await buyWithUsdc(world, postId)
  await buyWithNano(world, tomas, postId)
  for (const [index, tenths] of [3n, 12n, 5n, 20n, 8n, 15n, 4n, 9n].entries()) {
    await advanceClock(world, (2 + (index % 3)) * 86_400)
    for (const person of people) await renewSession(world, person)
    if (index === 3) await buyWithNano(world, wren, postId)
    const target = index % 3 === 1 ? otherId : postId
    await tip(world, index % 2 === 0 ? tomas : wren, target, (tenths * xno) / 10n, 'For the footnote.')
  }
}
