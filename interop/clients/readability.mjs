import { Readability } from '@mozilla/readability'
import { JSDOM } from 'jsdom'

export async function run({ origin, nanoPost }) {
  const url = `${origin}/posts/${nanoPost}`
  const { window } = new JSDOM(await (await fetch(url)).text(), { url })
  const article = new Readability(window.document).parse()
  if (!article?.title.includes('Sold for Nano')) throw new Error(`title: ${article?.title}`)
  if (!article.byline?.includes('Ada Marlow')) throw new Error(`author: ${article.byline}`)
  if (!article.textContent.includes('It has two paragraphs')) throw new Error('the text is missing')
}
