import type { CapturedMail } from '@pennypost/contract/development-tools'
import { type Html, html, type Page, type PageLayout, page } from '../platform/http/page.ts'

/** A page that lists captured mail in the given order. */
export function capturedMailPage(messages: readonly CapturedMail[], to: string | undefined, layout: PageLayout): Page {
  return page({
    title: 'Captured mail',
    layout,
    body: html`<main id="main" class="docs reading">
<h1>Captured mail</h1>
<p class="quiet">In development no email leaves this machine. The emails that would have been sent are listed here, newest first.</p>
<form class="filter" method="get" role="search">
<label>Sent to<input type="search" name="to" value="${to}" maxlength="320" autocapitalize="none" autocomplete="off" spellcheck="false" placeholder="reader@example.org"></label>
<button>Show</button>
</form>
${messages.length === 0 ? emptyState(to) : html`${countLine(messages.length, to)}${messages.map(message)}`}
</main>`,
  })
}

const allMail = html`<a href="?">Show all mail</a>`

function emptyState(to: string | undefined): Html {
  if (to === undefined || to === '')
    return html`<p class="lead">No mail yet.</p>
<p>Request a sign-in code, for example, then reload this page.</p>`
  return html`<p class="lead">No mail to <b>${to}</b>.</p>
<p>${allMail}</p>`
}

function countLine(count: number, to: string | undefined): Html {
  const counted = count === 1 ? 'One message' : `${count} messages`
  if (to === undefined || to === '') return html`<p>${counted}.</p>`
  return html`<p>${counted} to <b>${to}</b>. ${allMail}</p>`
}

// Shows the HTML part as source. In a frame, this page's content security policy would strip its styles and images, so
// the preview would not look like the real mail. A preview is not worth loosening the policy.
function message({ to, subject, text, html: source, sentAt, code }: CapturedMail, index: number): Html {
  const id = `message-${index + 1}`
  return html`<article class="mail" aria-labelledby="${id}">
<h2 id="${id}">${subject || '(no subject)'}</h2>
<p class="quiet">To ${to}, <time datetime="${sentAt}">${timeWords(sentAt)}</time></p>
${code !== null && html`<p class="secret">${code}</p>`}
<pre>${linked(text)}</pre>
${source !== '' && html`<details><summary>HTML source</summary><pre><code>${source}</code></pre></details>`}
</article>
`
}

// Only http and https URLs become links, so that a mail cannot link to any other scheme.
function linked(text: string): Html {
  const parts = text.split(/(https?:\/\/[^\s<>"']*[^\s<>"'.,;:!?)\]])/)
  return html`${parts.map((part, index) => (index % 2 === 1 ? html`<a href="${part}">${part}</a>` : part))}`
}

/** @example timeWords('2026-01-31T12:00:05.000Z') // '2026-01-31 12:00:05 UTC' */
function timeWords(time: string): string {
  const date = new Date(time)
  return Number.isNaN(date.getTime()) ? time : `${date.toISOString().slice(0, 19).replace('T', ' ')} UTC`
}
