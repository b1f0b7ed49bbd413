/** The content of a mail, written once and sent as text and as HTML. */
export interface RenderedEmail {
  readonly subject: string
  readonly text: string
  readonly html: string
}

export interface EmailContent {
  readonly subject: string
  readonly greeting: string
  readonly paragraphs: readonly string[]
  /** Shown large, on a line of its own. */
  readonly code?: string
  readonly link?: { readonly label: string; readonly url: string }
  /** Small print: why this mail came and what to do if it should not have. */
  readonly reason: string
  /** The way out of mails like this one, behind the small print. */
  readonly unsubscribe?: { readonly label: string; readonly url: string }
}

// Nothing is fetched when the mail is opened: no image, no tracking, styles on the elements as mail programs want them.
const font = "font-family:system-ui,-apple-system,'Segoe UI',sans-serif"

export function renderEmail({
  subject,
  greeting,
  paragraphs,
  code,
  link,
  reason,
  unsubscribe,
}: EmailContent): RenderedEmail {
  const text = [
    greeting,
    ...paragraphs,
    ...(code ? [code] : []),
    ...(link ? [`${link.label}:\n${link.url}`] : []),
    `--\n${reason}${unsubscribe ? `\n${unsubscribe.label}: ${unsubscribe.url}` : ''}`,
  ]
  const html = [
    `<p>${escaped(greeting)}</p>`,
    ...paragraphs.map((paragraph) => `<p>${escaped(paragraph)}</p>`),
    ...(code
      ? [`<p style="font-size:28px;letter-spacing:6px;font-weight:600;margin:24px 0">${escaped(code)}</p>`]
      : []),
    ...(link ? [`<p><a href="${escaped(link.url)}">${escaped(link.label)}</a></p>`] : []),
    `<p style="color:#666;font-size:13px;border-top:1px solid #ddd;padding-top:12px;margin-top:32px">${escaped(reason)}${unsubscribe ? ` <a href="${escaped(unsubscribe.url)}">${escaped(unsubscribe.label)}</a>` : ''}</p>`,
  ]
  return {
    subject,
    text: `${text.join('\n\n')}\n`,
    html: `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escaped(subject)}</title></head><body style="margin:0;padding:24px"><div style="max-width:34em;margin:0 auto;line-height:1.5;${font}">${html.join('')}</div></body></html>`,
  }
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
