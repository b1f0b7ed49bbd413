import { equal } from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { createPost, publishPost } from '@pennypost/contract/posts'
import { saveBasePayoutAddress, savePayoutAddress } from '@pennypost/contract/profiles'
import type { Creator, Wish } from '../test/people.ts'
import { createWorld, type World } from '../test/world.ts'

/** A Post with all that publishing asks for. */
export const whole = {
  title: 'On engines',
  description: 'What they can do',
  freeContentMarkdown: '# Free\n\nHello   **world** <script>alert(1)</script>',
  paidContentMarkdown: 'the-secret-part',
  enablePaywall: true,
  priceCurrency: 'XNO' as const,
  priceAtomic: `25${'0'.repeat(28)}`,
  category: 'technology',
  language: 'en',
  creationMethod: 'ai_assisted' as const,
  creationDetails: 'Spelling',
  creationAttested: true,
}

export const free = { enablePaywall: false, paidContentMarkdown: null, priceCurrency: null, priceAtomic: null }

export const nanoAddress = 'nano_3t6k35gi95xu6tergt6p69ck76ogmitsa8mnijtpxm9fkcm736xtoncuohr3'

export async function payable(author: Creator): Promise<Creator> {
  await author.owner.calls(savePayoutAddress, { body: { payoutAddress: nanoAddress } })
  return author
}

export async function payableOnBase(author: Creator): Promise<Creator> {
  const payoutAddress = '0x52908400098527886E0F7030069857D2E4169EE7'
  await author.owner.calls(saveBasePayoutAddress, { body: { payoutAddress } })
  return author
}

export async function authorIn(t: TestContext, wish?: Wish) {
  const world: World = await createWorld(t)
  const author = await payable(await world.creator(wish))
  return { world, author, reader: world.stranger() }
}

export async function publishes(author: Creator, input: object = {}) {
  const { body: draft } = await author.publisher.sends(createPost, { body: { ...whole, ...input } })
  const { body, status } = await author.publisher.calls(publishPost, { params: { postId: draft.id } })
  equal(status, 200, JSON.stringify(body))
  return body
}
