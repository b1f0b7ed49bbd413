import { command } from '../frame/command.ts'
import { countOf } from '../frame/format.ts'
import { bold, cut, dim, type Line } from '../frame/text.ts'
import { openClient } from '../profile/client.ts'
import { priceText } from './price-text.ts'

const columns = 100

export const search = command({
  name: 'search',
  summary: 'Find published posts',
  positionals: [{ name: 'WORDS', summary: 'words to search for; without any, all posts', optional: true, many: true }],
  options: {
    sort: {
      type: 'string',
      value: 'ORDER',
      summary: 'The order',
      choices: ['recommended', 'newest', 'oldest', 'popular', 'price_asc', 'price_desc'],
      default: 'recommended',
    },
    access: { type: 'string', value: 'WHICH', summary: 'Only these', choices: ['all', 'free', 'paid'], default: 'all' },
    language: { type: 'string', value: 'LANGUAGE', summary: 'Only posts in this language, such as en' },
    category: { type: 'string', value: 'CATEGORY', summary: 'Only posts of this category' },
    limit: { type: 'string', value: 'COUNT', summary: 'How many at most', default: '10' },
  },
  examples: [['pennypost search compilers --access free', 'free posts about compilers']],
  async run({ args: { WORDS }, options }, shell) {
    const { pennypost } = await openClient(shell)
    const { sort, access, language, category } = options
    const q = WORDS.join(' ')
    const query = {
      sort: sort as 'newest',
      access: access as 'all',
      ...(q !== '' && { q }),
      ...(language !== undefined && { language }),
      ...(category !== undefined && { category }),
    }
    const limit = countOf('--limit', options.limit, 1000)
    const posts = await pennypost.posts.list(query, { signal: shell.signal }).take(limit)
    const width = Math.min(shell.output.columns, columns)
    const lines = posts.flatMap((post): Line[] => [
      [bold(cut(post.title, width)), dim(`  ${priceText(post)}`)],
      dim(`  ${post.id}  ${post.pageUrl}`),
      ...(post.description || post.freePreview ? [`  ${cut(post.description || post.freePreview, width)}`] : []),
    ])
    shell.output.result({ posts }, posts.length === 0 ? ['No results. Try fewer words or filters.'] : lines)
  },
})
