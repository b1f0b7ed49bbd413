import { escapeHtml } from '@pennypost/site/escape-html'
import type { EmailSender } from './email-sender.ts'

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
  readonly link?: LabelledLink
  /** The footer: why the recipient gets this email, and what to do if it is a mistake. */
  readonly reason: string
  /** A link in the footer. */
  readonly unsubscribe?: LabelledLink
}

// Opening the email loads nothing but the operator's logo, if there is one: no tracking, no fonts. Styles are inline because
// email clients require it; those that know a dark mode also read the style sheet, which has the colours of the site.
export const emailFonts = {
  text: "-apple-system,'Segoe UI',Roboto,'Noto Sans','Helvetica Neue',Arial,sans-serif",
  serif: "'Iowan Old Style',Charter,'Noto Serif','Palatino Linotype',Georgia,serif",
}
export const lightColors = { paper: '#fdfcfa', card: '#ffffff', ink: '#211e1a', quiet: '#665f56', line: '#e4ddd3' }
export const darkColors = { paper: '#171513', card: '#211e1b', ink: '#e9e4dc', quiet: '#aaa297', line: '#38332d' }

/** An email in the looks of the site: its name or logo, its colour, light and dark. */
export function renderEmail(sender: EmailSender, content: EmailContent): RenderedEmail {
  return { subject: content.subject, text: textOf(sender, content), html: htmlOf(sender, content) }
}

function textOf(
  { name, origin }: EmailSender,
  { greeting, paragraphs, code, link, reason, unsubscribe }: EmailContent,
): string {
  const parts = [
    greeting,
    ...paragraphs,
    ...(code ? [code] : []),
    ...(link ? [`${link.label}:\n${link.url}`] : []),
    `--\n${name}, ${origin}\n${reason}${unsubscribe ? `\n${unsubscribe.label}: ${unsubscribe.url}` : ''}`,
  ]
  return `${parts.join('\n\n')}\n`
}

function htmlOf(sender: EmailSender, content: EmailContent): string {
  const { greeting, paragraphs, code, link, reason, unsubscribe } = content
  const accent = sender.accentColor
  const card = [
    ...[greeting, ...paragraphs].map((paragraph) => `<p style="margin:0 0 16px">${escapeHtml(paragraph)}</p>`),
    ...(code
      ? [`<p style="margin:24px 0;font-size:28px;letter-spacing:6px;font-weight:600">${escapeHtml(code)}</p>`]
      : []),
    ...(link ? [`<p style="margin:24px 0 8px">${emailButton(sender, link)}</p>`] : []),
  ]
  return emailPage(sender, {
    title: content.subject,
    body: `<div class="card" style="padding:24px 24px 12px;border:1px solid ${lightColors.line};border-top:3px solid ${accent};border-radius:0 0 8px 8px;background:${lightColors.card};overflow-wrap:anywhere">${card.join('')}</div>`,
    footer: `${escapeHtml(reason)}${unsubscribe ? ` ${quietLink(unsubscribe)}` : ''}`,
  })
}

interface LabelledLink {
  readonly label: string
  readonly url: string
}

export const emailButton = ({ accentColor }: EmailSender, { label, url }: LabelledLink): string =>
  `<a class="button" href="${escapeHtml(url)}" style="display:inline-block;padding:10px 18px;border-radius:8px;background:${accentColor};color:#ffffff;font-weight:600;text-decoration:none">${escapeHtml(label)}</a>`

/** A link in the footer. */
export const quietLink = ({ label, url }: LabelledLink): string =>
  `<a class="quiet" href="${escapeHtml(url)}" style="color:${lightColors.quiet}">${escapeHtml(label)}</a>`

interface EmailPage {
  readonly title: string
  readonly language?: string
  /** HTML, like the footer. */
  readonly body: string
  readonly footer: string
  /** More style sheets, for what only dark mode needs. */
  readonly style?: (accent: string) => string
}

/** The whole HTML of an email, with the name or logo of the site above and the footer below. */
export function emailPage(sender: EmailSender, { title, language = 'en', body, footer, style }: EmailPage): string {
  const accent = sender.accentColor
  const brand = sender.logoUrl
    ? `<img src="${escapeHtml(sender.logoUrl)}" alt="${escapeHtml(sender.name)}" height="32" style="height:32px;width:auto;max-width:100%;border:0">`
    : escapeHtml(sender.name)
  return `<!doctype html>
<html lang="${escapeHtml(language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escapeHtml(title)}</title>
<style>${darkStyle(lighter(accent))}${style ? `\n${style(lighter(accent))}` : ''}</style>
</head>
<body class="paper" style="margin:0;padding:24px 16px;background:${lightColors.paper}">
<div class="ink" style="max-width:34em;margin:0 auto;color:${lightColors.ink};font:16px/1.5 ${emailFonts.text}">
<p style="margin:0 0 16px;font:600 20px/1.3 ${emailFonts.serif}"><a class="accent" href="${escapeHtml(sender.origin)}" style="color:${accent};text-decoration:none">${brand}</a></p>
${body}
<p class="quiet" style="margin:16px 0 0;color:${lightColors.quiet};font-size:13px">${footer}</p>
</div>
</body>
</html>
`
}

const darkStyle = (accent: string): string => `:root{color-scheme:light dark}
@media (prefers-color-scheme:dark){
.paper{background:${darkColors.paper}!important}
.ink{color:${darkColors.ink}!important}
.card{background:${darkColors.card}!important;border-color:${darkColors.line}!important;border-top-color:${accent}!important}
.accent{color:${accent}!important}
.button{background:${accent}!important;color:${darkColors.paper}!important}
.quiet{color:${darkColors.quiet}!important}
}`

/** The accent for a dark background: the site mixes it with white too. Email clients do not know `color-mix`. */
function lighter(color: string): string {
  const parts = [1, 3, 5].map((start) => {
    const part = Number.parseInt(color.slice(start, start + 2), 16)
    return Math.round(part * 0.45 + 255 * 0.55)
      .toString(16)
      .padStart(2, '0')
  })
  return `#${parts.join('')}`
}
