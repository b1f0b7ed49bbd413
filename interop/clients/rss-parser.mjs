import Parser from 'rss-parser'

export async function run({ origin }) {
  for (const file of ['feed.xml', 'atom.xml']) {
    const { items } = await new Parser().parseURL(`${origin}/${file}`)
    if (!items.some(({ title }) => title === 'Free to read')) throw new Error(`${file}: ${items.length} items`)
  }
}
