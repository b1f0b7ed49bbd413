declare global {
  interface Window {
    readonly trustedTypes?: {
      createPolicy(name: string, rules: { createHTML(html: string): string }): { createHTML(html: string): string }
    }
  }
}

// The only HTML that scripts of this site insert comes from the server's own sanitizer.
const policy = window.trustedTypes?.createPolicy('sanitized', { createHTML: (html) => html })

/** Sets the content of an element to a post's HTML, as the API returns it. */
export function setTrustedHtml(element: HTMLElement, html: string): void {
  element.innerHTML = policy?.createHTML(html) ?? html
}
