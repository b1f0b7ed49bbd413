interface TrustedTypes {
  createPolicy(name: string, rules: { createHTML(html: string): string }): { createHTML(html: string): string }
}

// The only HTML that scripts of this site insert comes from the server's own sanitizer. Only browsers have Trusted Types.
const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes }
const policy = trustedTypes?.createPolicy('sanitized', { createHTML: (html) => html })

/** The HTML of a post, as our sanitizer wrote it. Never pass anything else. */
export const sanitizedHtml = (html: string): { readonly __html: string } => ({
  __html: policy?.createHTML(html) ?? html,
})

/** The text of a post. */
export const Prose = ({ html }: { readonly html: string }) => (
  <div class="prose e-content" dir="auto" dangerouslySetInnerHTML={sanitizedHtml(html)} />
)
