import { Readable } from 'node:stream'
import FeedParser from 'feedparser'

export async function run({ origin }) {
  for (const file of ['feed.xml', 'atom.xml']) {
    const titles = []
    const parser = new FeedParser()
    parser.on('readable', () => {
      for (let item = parser.read(); item; item = parser.read()) titles.push(item.title)
    })
    const ended = new Promise((resolve, reject) => parser.on('end', resolve).on('error', reject))
    Readable.from([await (await fetch(`${origin}/${file}`)).text()]).pipe(parser)
    await ended
    if (!titles.includes('Free to read')) throw new Error(`${file}: ${titles.length} items`)
  }
}
