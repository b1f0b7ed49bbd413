import type { getDocs as declared } from '@pennypost/contract/platform-operations'
import { rawMarkup } from '@pennypost/site/jsx/markup'
import { etagOf } from '../http/conditional-request.ts'
import type { Handler } from '../http/handler.ts'
import { page } from '../http/page.ts'
import type { PlatformServices } from '../services.ts'
import { originMark } from './written-docs.ts'

type Parts = Pick<PlatformServices, 'site' | 'createLayout'>

interface DocsReply {
  readonly status: 200
  readonly headers: Record<string, string>
  readonly body: string
}

/**
 * Shows the reference, as the build rendered it. The origin is filled in, and the page around it is rendered again when the
 * settings of the site change.
 */
export function showReference(readReference: () => string): Handler<typeof declared, Parts> {
  const written = new Map<string, { readonly settings: object; readonly reply: DocsReply }>()
  return async ({ site, createLayout }, { origin }) => {
    const settings = site.settings()
    const known = written.get(origin)
    if (known?.settings === settings) return known.reply
    const shown = page({
      title: 'API reference',
      description: 'Every operation of this service: its parameters, replies and errors.',
      body: rawMarkup(readReference()),
      layout: createLayout({ style: 'docs', entry: 'reference' }),
    })
    const body = shown.html.replaceAll(originMark, () => origin)
    const reply: DocsReply = { status: 200, body, headers: { ...shown.headers, etag: etagOf(body) } }
    written.set(origin, { settings, reply })
    return reply
  }
}
