import { amountOf, type Post } from '@pennypost/sdk'
import { command } from '../frame/command.ts'
import { countOf, day } from '../frame/format.ts'
import { cut, table } from '../frame/text.ts'
import { openPublisher } from '../profile/client.ts'

const titleColumns = 50

export const postList = command({
  name: 'post list',
  summary: 'List your own posts, most recently changed first',
  options: {
    status: {
      type: 'string',
      value: 'STATUS',
      summary: 'Only these',
      choices: ['draft', 'scheduled', 'published', 'withdrawn'],
    },
    limit: { type: 'string', value: 'COUNT', summary: 'How many at most', default: '50' },
  },
  async run({ options }, shell) {
    const { pennypost } = await openPublisher(shell)
    const status = options.status as 'draft' | undefined
    const posts = await pennypost.drafts
      .list({ ...(status && { status }) }, { signal: shell.signal })
      .take(countOf('--limit', options.limit, 10_000))
    const rows = posts.map((post) => [
      post.id,
      post.scheduledFor === null ? post.status : 'scheduled',
      priceOf(post),
      String(post.figures.sales),
      day(post.updatedAt),
      cut(post.title, shell.output.columns === Number.POSITIVE_INFINITY ? 200 : titleColumns),
    ])
    const header = ['Id', 'Status', 'Price', 'Sales', 'Changed', 'Title']
    const value = posts.map(({ freeContentMarkdown: _, paidContentMarkdown: __, ...post }) => post)
    shell.output.result({ posts: value }, rows.length === 0 ? ['You have no posts yet.'] : table(rows, header))
  },
})

const priceOf = ({ enablePaywall, priceCurrency, priceAtomic }: Post): string =>
  enablePaywall && priceCurrency !== null && priceAtomic !== null
    ? `${amountOf(priceCurrency, priceAtomic)} ${priceCurrency}`
    : enablePaywall
      ? 'no price'
      : 'free'
