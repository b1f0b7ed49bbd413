import { mf2 } from 'microformats-parser'

export async function run({ origin, nanoPost }) {
  const html = await (await fetch(`${origin}/posts/${nanoPost}`)).text()
  const { items } = mf2(html, { baseUrl: origin })
  const entry = items.find(({ type }) => type?.includes('h-entry'))
  if (entry?.properties.name?.[0] !== 'Sold for Nano') throw new Error(`name: ${entry?.properties.name}`)
  if (entry.properties.author?.[0]?.properties.name?.[0] !== 'Ada Marlow') throw new Error('the author is missing')
}
