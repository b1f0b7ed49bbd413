import { type Html, html, type PageLayout } from './page.ts'

/** A layout that adds nothing. */
export const bareLayout: PageLayout = {
  siteName: 'Site',
  head: html``,
  frame: (body: Html) => body,
  policy: ["style-src 'self'"],
}
