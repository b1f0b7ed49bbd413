/** What the pages of the site add to the style of all pages. */
export const siteStyle = `
.facts { color: var(--quiet); font-size: 0.9375rem; }
.facts a { color: inherit; }
.posts { list-style: none; margin: 2rem 0; padding: 0; }
.posts > li { padding: 1.5rem 0; border-top: 1px solid var(--line); }
.posts h2 { margin: 0 0 0.375rem; font-size: 1.375rem; overflow-wrap: anywhere; }
.posts h2 a { color: inherit; text-decoration: none; }
.posts h2 a:hover { text-decoration: underline; }
.posts p { margin: 0 0 0.375rem; }
.tags { display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; list-style: none; margin: 0.25rem 0 0; padding: 0; font-size: 0.9375rem; }
.tags a { display: inline-block; padding: 0.125rem 0; overflow-wrap: anywhere; }
.pager { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0.5rem 1rem; padding: 1rem 0; border-top: 1px solid var(--line); }
.pager a { padding: 0.5rem 0; }
.footer { margin-top: 3rem; padding-top: 1rem; border-top: 1px solid var(--line); color: var(--quiet); font-size: 0.9375rem; }
.footer a { margin-right: 0.75rem; }
h1, .prose { overflow-wrap: anywhere; }
.disclosure { padding: 0.75rem 1rem; background: var(--raised); border-radius: 6px; font-size: 0.9375rem; }
.prose { margin: 2rem 0; font-size: 1.0625rem; }
.prose h1 { font-size: 1.75rem; margin-top: 2.5rem; }
.prose h2 { margin-top: 2.5rem; }
.prose img { max-width: 100%; height: auto; border-radius: 6px; }
.prose table { display: block; overflow-x: auto; table-layout: auto; }
.prose th, .prose td { min-width: 4rem; padding-right: 1rem; overflow-wrap: normal; }
.prose ul, .prose ol { padding: 0; padding-inline-start: 1.5rem; }
.prose blockquote { margin: 0 0 1rem; padding-inline-start: 1rem; border-inline-start: 3px solid var(--line); color: var(--quiet); }
.prose .task { list-style: none; margin-inline-start: -1.5rem; }
.prose .task input { display: inline; width: auto; min-height: 0; }
.prose .footnotes { margin-top: 2.5rem; padding-top: 1rem; border-top: 1px solid var(--line); font-size: 0.9375rem; }
.hljs-comment, .hljs-quote { color: var(--quiet); font-style: italic; }
.hljs-keyword, .hljs-selector-tag, .hljs-built_in, .hljs-title, .hljs-section { font-weight: 650; }
.hljs-string, .hljs-attr, .hljs-number, .hljs-literal { color: var(--accent); }
.paywall { margin: 2.5rem 0; padding: 1.25rem 1.25rem 0.5rem; border: 1px solid var(--accent); border-radius: 6px; }
.paywall h2 { margin: 0 0 0.75rem; font-size: 1.375rem; }
.paywall code { overflow-wrap: anywhere; }
.pinned { margin: 2rem 0 -1rem; }
.bio { white-space: pre-line; overflow-wrap: anywhere; }
.avatar { float: right; width: 6rem; height: 6rem; margin: 0 0 1rem 1rem; border-radius: 50%; object-fit: cover; }
form.search { margin: 1.5rem 0; }
form.search .first { display: flex; gap: 0.5rem; align-items: end; }
form.search .first label { flex: 1; }
form.search .filters { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 11rem), 1fr)); gap: 0.75rem; padding: 0.5rem 0; }
form.search label { font-size: 0.875rem; color: var(--quiet); }
select { display: block; width: 100%; min-height: 2.75rem; padding: 0.375rem 0.5rem; border: 1px solid var(--quiet); border-radius: 6px; background: var(--paper); color: var(--ink); font: 1rem/1.5 var(--text); }
`
