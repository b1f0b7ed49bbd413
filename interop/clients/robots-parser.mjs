import robotsParser from 'robots-parser'

export async function run({ origin, nanoPost }) {
  const url = `${origin}/robots.txt`
  const robots = robotsParser(url, await (await fetch(url)).text())
  if (!robots.isAllowed(`${origin}/posts/${nanoPost}`)) throw new Error('posts are not allowed')
  if (robots.isAllowed(`${origin}/api/v1/me`)) throw new Error('private paths are allowed')
  if (robots.getSitemaps()[0] !== `${origin}/sitemap.xml`) throw new Error('the sitemap is missing')
}
