import { sanitizedHtml } from '../components/sanitized-html.tsx'

/** Sets the content of an element to a post's HTML, as the API returns it. */
export function setSanitizedHtml(element: HTMLElement, html: string): void {
  element.innerHTML = sanitizedHtml(html).__html
}
