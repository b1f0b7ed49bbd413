import type { Subscriber } from '@pennypost/contract/subscribers'
import { oneLine } from '@pennypost/site/clean-text'
import { escapeHtml } from '@pennypost/site/escape-html'
import { formatDate } from '@pennypost/site/format'
import { canonicalPostPath } from '@pennypost/site/paths'
import type { EmailSender } from '../platform/mail/email-sender.ts'
import {
  darkColors,
  emailButton,
  emailFonts,
  emailPage,
  lightColors,
  quietLink,
  type RenderedEmail,
} from '../platform/mail/render-email.ts'
import { resolveImages } from '../posts/markdown/images.ts'
import { disclosureText, formatPrice } from '../site/post-text.ts'
import { imageUrls } from '../uploads/image-view.ts'
import { mailHtml, mailText } from './mail-html.ts'
import type { MailedPost } from './mailed-post-store.ts'

// Gmail cuts emails of more than 102 KB.
const maxHtmlBytes = 80_000
const maxTextCharacters = 80_000

/** The data of one subscriber. */
interface Addressee {
  readonly unsubscribeUrl: string
  readonly source: Subscriber['source']
}

export interface PostEmail {
  readonly url: string
  /** The email for one subscriber. */
  write(addressee: Addressee): RenderedEmail
}

/** A post as an email: typeset once, with a footer for each subscriber. With `isWhole`, the paid part too. */
export function postEmail(sender: EmailSender, post: MailedPost, isWhole: boolean): PostEmail {
  const { origin, accentColor } = sender
  const url = origin + canonicalPostPath(post)
  const stored = isWhole ? post.free_html + post.paid_html : post.free_html
  const resolved = resolveImages(stored, imageUrls(post.image_paths, origin))
  const { html, isCut } = mailHtml(resolved, { url, origin, accentColor, maxBytes: maxHtmlBytes })
  const { text, isCut: isTextCut } = mailText(resolved, { url, origin, maxCharacters: maxTextCharacters })
  const price = isWhole ? undefined : formatPrice(post)
  const [title, author] = [oneLine(post.title), oneLine(post.name)]
  const disclosure = disclosureText(post)
  const more = moreLabel(isCut || isTextCut, price)
  const body = articleOf(sender, post, { url, html, more, disclosure })
  const parts = [title, ...(post.description === '' ? [] : [oneLine(post.description)]), byLine(post), url, text]
  const written = [...parts, ...(disclosure ? [disclosure] : []), ...(more ? [`${more}:\n${url}`] : [])].join('\n\n')
  return {
    url,
    write({ unsubscribeUrl, source }) {
      const reason = reasonOf(source, author, sender.name)
      const links = [
        quietLink({ label: 'Unsubscribe', url: unsubscribeUrl }),
        quietLink({ label: 'Read on the site', url }),
      ]
      return {
        subject: title,
        text: `${written}\n\n--\n${sender.name}, ${origin}\n${reason}\nUnsubscribe: ${unsubscribeUrl}\n`,
        html: emailPage(sender, {
          title,
          language: post.language ?? 'und',
          body,
          footer: `${escapeHtml(reason)} ${links.join(' · ')}`,
          style: darkPostStyle,
        }),
      }
    },
  }
}

/** The label of the button below the text. */
function moreLabel(isCut: boolean, price: string | undefined): string | undefined {
  if (price !== undefined) return `Keep reading for ${price}`
  return isCut ? 'Keep reading on the site' : undefined
}

const byLine = ({ name, published_at }: MailedPost): string =>
  `${oneLine(name)}, ${formatDate(published_at.toISOString())}`

interface Article {
  readonly url: string
  readonly html: string
  readonly more: string | undefined
  readonly disclosure: string | undefined
}

function articleOf(sender: EmailSender, post: MailedPost, { url, html, more, disclosure }: Article): string {
  const quiet = `color:${lightColors.quiet}`
  return [
    '<div class="post" style="overflow-wrap:anywhere">',
    `<h1 dir="auto" style="margin:0 0 8px;font:600 30px/1.2 ${emailFonts.serif}"><a class="ink" href="${escapeHtml(url)}" style="color:${lightColors.ink};text-decoration:none">${escapeHtml(oneLine(post.title))}</a></h1>`,
    post.description === ''
      ? ''
      : `<p class="quiet" dir="auto" style="margin:0 0 8px;${quiet};font-size:18px">${escapeHtml(oneLine(post.description))}</p>`,
    `<p class="quiet" style="margin:0 0 24px;${quiet};font-size:14px">${escapeHtml(byLine(post))}</p>`,
    `<div dir="auto" style="font:18px/1.6 ${emailFonts.serif}">${html}</div>`,
    more === undefined ? '' : `<p style="margin:24px 0">${emailButton(sender, { label: more, url })}</p>`,
    disclosure === undefined
      ? ''
      : `<p class="quiet" style="margin:16px 0 0;${quiet};font-size:14px">${escapeHtml(disclosure)}</p>`,
    `<hr style="border:0;border-top:1px solid ${lightColors.line};margin:24px 0 0">`,
    '</div>',
  ].join('\n')
}

/** Why the recipient gets it. An imported reader never used the site, so the email says who gave us their address. */
const reasonOf = (source: Subscriber['source'], author: string, site: string): string =>
  source === 'import'
    ? `You are getting this email because ${author}, who publishes at ${site}, added your address and told us that you agreed.`
    : `You are getting this email because you subscribed to ${author} at ${site}.`

const darkPostStyle = (accent: string): string => `@media (prefers-color-scheme:dark){
.post a{color:${accent}!important}
.post h1 a{color:${darkColors.ink}!important}
.post .button{color:${darkColors.paper}!important}
.post pre{background:${darkColors.card}!important;color:${darkColors.ink}!important}
.post hr,.post blockquote,.post th,.post td,.post section,.post a{border-color:${darkColors.line}!important}
}`
