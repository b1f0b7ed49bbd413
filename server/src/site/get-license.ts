import type { getLicense as declared } from '@pennypost/contract/machine-files'
import type { Handler } from './services.ts'
import { xml, xmlDocument } from './xml.ts'

/**
 * The uses of posts that crawlers are allowed, in the format of Really Simple Licensing 1.0. The free parts of posts may be
 * found; whatever else the operator allows is in `CRAWLERS_MAY`. The paid parts are sold one by one, at the access URL of each
 * post.
 */
export const getLicense: Handler<typeof declared> = async ({ config, site }, { origin }) => {
  const { name, termsMarkdown } = site.settings()
  const isTraining = config.crawlersMay.some((use) => use === 'ai-train' || use === 'ai-all' || use === 'all')
  const terms = termsMarkdown ? xml`<terms>${origin}/terms</terms>\n` : false
  return {
    status: 200,
    body: xmlDocument(xml`<rsl xmlns="https://rslstandard.org/rsl">
<content url="/">
<license>
<permits type="usage">${config.crawlersMay.join(',')}</permits>
${isTraining ? false : xml`<prohibits type="usage">ai-train</prohibits>\n`}<payment type="free"/>
</license>
<copyright type="organization" contactUrl="${origin}">The authors of the posts on ${name}</copyright>
${terms}</content>
<content url="/api/posts/*/access">
<license>
<permits type="usage">ai-input</permits>
<payment type="purchase">
<custom>${origin}/.well-known/x402</custom>
</payment>
</license>
${terms}</content>
</rsl>`),
  }
}
