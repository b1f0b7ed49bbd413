// node scripts/search-leak.mjs [queries]    measures how much of a paid text can be learned by searching, 100,000 times by default
//
// The paid text is a page of ours with a four-digit code in it. The attacker knows the words of all our other pages and
// searches for each of them, then for every code, then for pairs of the words that were found, to learn their order.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './prepare.mjs'
import { load, withTestDatabase } from './with-test-database.mjs'

const most = Number(process.argv[2] ?? 100_000)
const secretPage = 'ARCHITECTURE.md'
const code = '4711'

await withTestDatabase(measure)

async function measure(scope) {
  const { authorIn, publishes } = await load('discovery/published.fixture.js')
  const { listPublicPosts } = await import('@pennypost/contract/discovery')
  const settings = { LIMITS: 'searches=1000000/60' }
  const { world, author, reader } = await authorIn(scope, {}, { isolation: 'own', settings })
  const secret = wordsOf(readFileSync(join(root, secretPage), 'utf8'))
  const text = `The code is ${code}. ${secret.join(' ')}`
  const { id } = await publishes(author, {
    title: 'Sold',
    description: '',
    freeContentMarkdown: 'x',
    paidContentMarkdown: text,
  })
  await world.runJobs()
  let queries = 0
  const finds = async (q) => {
    queries += 1
    const { body } = await reader.calls(listPublicPosts, { query: { q } })
    return body.data.some((post) => post.id === id)
  }

  const dictionary = [...new Set(pages().flatMap((page) => wordsOf(readFileSync(join(root, page), 'utf8'))))]
  const found = []
  for (const word of dictionary) if (await finds(word)) found.push(word)
  let codes = 0
  for (let number = 0; number < 10_000; number += 1) if (await finds(String(number).padStart(4, '0'))) codes += 1

  const neighbours = new Set(secret.slice(1).map((word, index) => `${secret[index]} ${word}`))
  const pairs = { apart: [0, 0], together: [0, 0] }
  for (let turn = 0; queries < most; turn += 1) {
    const one = found[turn % found.length]
    const other = found[(turn * 7919 + Math.floor(turn / found.length)) % found.length]
    const kind = pairs[neighbours.has(`${one} ${other}`) ? 'together' : 'apart']
    kind[0] += 1
    if (await finds(`${one} ${other}`)) kind[1] += 1
  }

  const distinct = new Set(secret)
  const share = ([tried, hit]) => (tried === 0 ? 'none tried' : `${hit} of ${tried} found`)
  console.log(`queries: ${queries}, at 240 a minute ${Math.round(queries / 240 / 60)} hours from one address`)
  console.log(
    `distinct words of the paid text: ${distinct.size}; in the attacker's dictionary of ${dictionary.length}: ${dictionary.filter((word) => distinct.has(word)).length}`,
  )
  console.log(`words learned: ${found.filter((word) => distinct.has(word)).length}`)
  console.log(`codes learned: ${codes}`)
  console.log(`pairs of words that stand together: ${share(pairs.together)}; that do not: ${share(pairs.apart)}`)
}

/** Words of letters alone, as people write them. */
function wordsOf(text) {
  return (text.toLowerCase().match(/[a-z]{2,}/g) ?? []).filter((word) => word.length <= 30)
}

function pages() {
  const found = readdirSync(root, { recursive: true, encoding: 'utf8' })
  return found.filter((path) => path.endsWith('.md') && !path.includes('node_modules') && path !== secretPage)
}
