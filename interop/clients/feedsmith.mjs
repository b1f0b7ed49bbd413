import { parseFeed } from 'feedsmith'

export async function run({ origin }) {
  for (const [file, wanted] of [
    ['feed.xml', 'rss'],
    ['atom.xml', 'atom'],
    ['feed.json', 'json'],
  ]) {
    const { format, feed } = parseFeed(await (await fetch(`${origin}/${file}`)).text())
    if (format !== wanted || (feed.items ?? feed.entries).length < 2) throw new Error(`${file}: ${format}`)
  }
}
