// A reference in the free part to a footnote in the paid part, exactly as the sanitizer writes it.
const paidReference =
  /<sup><a href="#(paid-content-fn\.\d+)" id="content-ref\.[\d.]+" role="doc-noteref" rel="[^"<>]*">\d+<\/a><\/sup>/g

/** The ids of the footnotes in the paid part that the free part refers to. */
export const paidNoteIds = (freeHtml: string): string[] => [
  ...new Set(Array.from(freeHtml.matchAll(paidReference), ([, id]) => id!)),
]

/** The free part without references to the paid part, for a post that does not show one. */
export const withoutPaidNotes = (freeHtml: string): string => freeHtml.replace(paidReference, '')
