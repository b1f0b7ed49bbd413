import { escapeHtml } from '@pennypost/site/escape-html'

/** An email as text and as HTML. */
export interface RenderedEmail {
  readonly subject: string
  readonly text: string
  readonly html: string
}

export interface EmailContent {
  readonly subject: string
  readonly greeting: string
  readonly paragraphs: readonly string[]
  /** Shown in large type on a separate line. */
  readonly code?: string
  readonly link?: { readonly label: string; readonly url: string }
  /** The footer: why the recipient gets this email, and what to do if it is a mistake. */
  readonly reason: string
  /** A link in the footer. */
  readonly unsubscribe?: { readonly label: string; readonly url: string }
}

// Opening the email loads nothing: no images, no tracking. Styles are inline because email clients require it.
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
    `<p>${escapeHtml(greeting)}</p>`,
    ...paragraphs.map((paragraph) => `<p>${escapeHtml(paragraph)}</p>`),
    ...(code
      ? [`<p style="font-size:28px;letter-spacing:6px;font-weight:600;margin:24px 0">${escapeHtml(code)}</p>`]
      : []),
    ...(link ? [`<p><a href="${escapeHtml(link.url)}">${escapeHtml(link.label)}</a></p>`] : []),
    `<p style="color:#666;font-size:13px;border-top:1px solid #ddd;padding-top:12px;margin-top:32px">${escapeHtml(reason)}${unsubscribe ? ` <a href="${escapeHtml(unsubscribe.url)}">${escapeHtml(unsubscribe.label)}</a>` : ''}</p>`,
  ]
  return {
    subject,
    text: `${text.join('\n\n')}\n`,
    html: `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(subject)}</title></head><body style="margin:0;padding:24px"><div style="max-width:34em;margin:0 auto;line-height:1.5;${font}">${html.join('')}</div></body></html>`,
  }
}
