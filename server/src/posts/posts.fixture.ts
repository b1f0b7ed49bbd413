import { equal } from 'node:assert/strict'
import { createPost } from '@pennypost/contract/posts'
import { saveBasePayoutAddress, savePayoutAddress } from '@pennypost/contract/profiles'
import { publishPost } from '@pennypost/contract/publishing'
import type { Creator } from '../test/people.ts'
import type { Person } from '../test/person.ts'

export const nanoAddress = 'nano_3t6k35gi95xu6tergt6p69ck76ogmitsa8mnijtpxm9fkcm736xtoncuohr3'
export const baseAddress = '0x52908400098527886E0F7030069857D2E4169EE7'

/** A free post with everything that publishing requires. */
export const wholePost = {
  title: 'On engines',
  description: 'What they can do',
  freeContentMarkdown: 'Hello **world**',
  category: 'technology',
  language: 'en',
  creationMethod: 'human' as const,
  creationAttested: true,
}

export const paidPost = {
  ...wholePost,
  paidContentMarkdown: 'The secret',
  enablePaywall: true,
  priceCurrency: 'XNO' as const,
  priceAtomic: `25${'0'.repeat(28)}`,
}

/** The fields that turn a free post into a paid one. */
export const freeAgain = { enablePaywall: false, paidContentMarkdown: null, priceCurrency: null, priceAtomic: null }

export async function payable<Author extends Creator>(author: Author): Promise<Author> {
  await author.owner.calls(savePayoutAddress, { body: { payoutAddress: nanoAddress } })
  return author
}

export async function payableOnBase<Author extends Creator>(author: Author): Promise<Author> {
  await author.owner.calls(saveBasePayoutAddress, { body: { payoutAddress: baseAddress } })
  return author
}

export async function draft(person: Person, input: object = wholePost) {
  const reply = await person.sends(createPost, { body: input })
  equal(reply.status, 201, JSON.stringify(reply.body))
  return reply.body
}

/** Writes and publishes exactly this. */
export async function publish({ publisher }: Creator, input: object = wholePost) {
  const { id: postId } = await draft(publisher, input)
  const { body, status } = await publisher.calls(publishPost, { params: { postId } })
  equal(status, 200, JSON.stringify(body))
  return body
}
