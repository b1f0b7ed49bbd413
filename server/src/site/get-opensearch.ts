import type { getOpenSearch as declared } from '@pennypost/contract/machine-files'
import { truncate } from '@pennypost/site/clean-text'
import type { Handler } from './services.ts'
import { xml, xmlDocument } from './xml.ts'

/** With this, browsers offer the search of the site in their address bar. */
export const getOpenSearch: Handler<typeof declared> = async ({ site }, { origin }) => {
  const { name, tagline } = site.settings()
  return {
    status: 200,
    // The format allows 16 and 1024 characters.
    body: xmlDocument(xml`<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/">
<ShortName>${[...name].slice(0, 16).join('')}</ShortName>
<LongName>${truncate(name, 48)}</LongName>
<Description>${truncate(tagline || `Search the posts of ${name}.`, 1000)}</Description>
<Url type="text/html" method="get" template="${origin}/?q={searchTerms}"/>
<Url type="application/json" method="get" template="${origin}/api/posts?q={searchTerms}"/>
<Url type="application/opensearchdescription+xml" rel="self" template="${origin}/opensearch.xml"/>
<Image height="32" width="32" type="image/svg+xml">${origin}/favicon.svg</Image>
<InputEncoding>UTF-8</InputEncoding>
<OutputEncoding>UTF-8</OutputEncoding>
</OpenSearchDescription>`),
  }
}
