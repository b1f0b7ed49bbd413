/** The one style of all pages. It stands inside `<style>` unescaped, so it never holds a `<`. */
export const pageStyle = `
:root {
  color-scheme: light dark;
  --paper: #fdfcfa; --raised: #f5f2ed; --ink: #211e1a; --quiet: #676057; --line: #e3ddd4; --accent: #94430f;
  --text: system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', sans-serif;
  --display: 'Iowan Old Style', Charter, 'Palatino Linotype', Palatino, Georgia, serif;
  --code: ui-monospace, 'SF Mono', 'Cascadia Mono', Menlo, Consolas, 'Liberation Mono', monospace;
}
@media (prefers-color-scheme: dark) {
  :root { --paper: #171513; --raised: #211e1b; --ink: #e8e3db; --quiet: #a8a095; --line: #38332d; --accent: #eba272; }
}
*, ::before, ::after { box-sizing: border-box; }
html { text-size-adjust: 100%; -webkit-text-size-adjust: 100%; }
body {
  margin: 0 auto; padding: 0 1.125rem 5rem; max-width: 46rem;
  background: var(--paper); color: var(--ink);
  font: 1rem/1.65 var(--text); overflow-wrap: break-word;
}
a { color: var(--accent); text-decoration-thickness: 1px; text-underline-offset: 0.2em; }
a:hover { text-decoration-thickness: 2px; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 3px; border-radius: 2px; }
.skip { position: absolute; left: 1rem; top: -4rem; padding: 0.5rem 0.75rem; background: var(--paper); z-index: 1; }
.skip:focus { top: 0.5rem; }
.masthead { display: flex; justify-content: space-between; align-items: baseline; padding: 1.25rem 0; font: 600 1.0625rem/1.2 var(--display); }
.masthead nav { font: 0.9375rem/1.2 var(--text); }
.masthead a { color: inherit; text-decoration: none; }
.masthead a:hover { text-decoration: underline; }
h1, h2, h3, h4 { line-height: 1.25; scroll-margin-top: 1rem; text-wrap: balance; }
h1 { margin: 1.5rem 0 1rem; font: 500 clamp(1.875rem, 1.5rem + 2vw, 2.5rem)/1.15 var(--display); }
h2 { margin: 3.5rem 0 1rem; font: 500 1.5625rem/1.25 var(--display); }
h3 { margin: 2rem 0 0.5rem; font-size: 1.0625rem; font-weight: 650; }
h4 { margin: 2rem 0 0.625rem; font: 500 1.1875rem/1.25 var(--display); }
h1.code { font-family: var(--code); font-size: clamp(1.375rem, 1rem + 2.5vw, 2rem); letter-spacing: -0.02em; overflow-wrap: anywhere; }
p, ul, dl, table, pre { margin: 0 0 1rem; }
ul { padding-left: 1.25rem; }
.lead { font-size: 1.125rem; }
.quiet { color: var(--quiet); }
code, pre, kbd { font-family: var(--code); font-size: 0.875em; }
code { overflow-wrap: anywhere; }
pre {
  padding: 0.875rem 1rem; background: var(--raised); border-radius: 6px;
  font-size: 0.8125rem; line-height: 1.6; white-space: pre-wrap; overflow-wrap: anywhere; tab-size: 2;
}
pre code { font-size: inherit; }
table { width: 100%; table-layout: fixed; border-collapse: collapse; font-size: 0.9375rem; line-height: 1.5; }
caption { padding: 0 0 0.375rem; text-align: left; font-size: 0.875rem; font-weight: 600; }
.visually-hidden, .object caption { position: absolute; width: 1px; height: 1px; padding: 0; overflow: hidden; clip-path: inset(50%); }
th, td { padding: 0.5rem 0; border-top: 1px solid var(--line); text-align: left; vertical-align: top; overflow-wrap: anywhere; }
thead th:first-child { width: 40%; }
thead th { padding: 0.25rem 0; color: var(--quiet); font-size: 0.8125rem; font-weight: 400; }
tbody th { padding-right: 1rem; font-weight: 400; }
tbody th small { color: var(--quiet); font-size: 0.8125rem; }
tbody th.group { padding: 1.25rem 0 0.375rem; color: var(--quiet); }
.prefix { color: var(--quiet); }
td .meaning { display: block; }
td .type { color: var(--quiet); }
dl.facts { display: grid; grid-template-columns: 8.75rem 1fr; font-size: 0.9375rem; line-height: 1.5; }
dl.facts dt, dl.facts dd { margin: 0; padding: 0.375rem 1rem 0.375rem 0; border-top: 1px solid var(--line); overflow-wrap: anywhere; }
dl.facts dt { color: var(--quiet); }
dl.facts dd { padding-right: 0; }
details { margin: 0 0 1rem; }
summary { width: fit-content; padding: 0.25rem 0; color: var(--accent); cursor: pointer; }
summary:hover { text-decoration: underline; text-underline-offset: 0.2em; }
.operation, .object { padding: 1.5rem 0 0.5rem; border-top: 1px solid var(--line); scroll-margin-top: 0.5rem; }
.operation h3, .object h3 { margin: 0 0 0.25rem; font-family: var(--code); font-size: 1rem; overflow-wrap: anywhere; }
.operation h3 a, .object h3 a { color: inherit; text-decoration: none; }
.operation h3 a:hover, .object h3 a:hover { text-decoration: underline; }
.operation p { margin-bottom: 0.5rem; }
.operation:target, .object:target, .object:target > summary { box-shadow: -0.75rem 0 var(--paper), -0.875rem 0 var(--accent); }
.address { margin: 0 0 0.5rem; font: 0.875rem/1.5 var(--code); overflow-wrap: anywhere; }
.address b { color: var(--accent); font-weight: 650; }
.contents { font-size: 0.9375rem; line-height: 1.4; }
.contents h2 { margin: 0 0 0.75rem; font: 400 0.8125rem/1.4 var(--text); color: var(--quiet); }
.contents ul { list-style: none; margin: 0; padding: 0; }
.contents a { display: block; padding: 0.3rem 0; color: inherit; text-decoration: none; overflow-wrap: anywhere; }
.contents a:hover { color: var(--accent); text-decoration: underline; }
.contents > ul { columns: 7.5rem; column-gap: 1rem; }
.contents > ul > li { break-inside: avoid; }
.contents ul ul { display: none; }
.back { font-size: 0.875rem; }
@media (min-width: 40rem) { dl.facts { grid-template-columns: 11rem 1fr; } }
@media (min-width: 64rem) {
  body:has(> .contents) {
    display: grid; grid-template-columns: 16rem minmax(0, 46rem); column-gap: 4rem; max-width: 68rem;
  }
  body:has(> .contents) > .masthead { grid-column: 1 / -1; }
  .contents { position: sticky; top: 0; max-height: 100vh; padding: 1.5rem 0.5rem 2rem 0; overflow-y: auto; align-self: start; scrollbar-width: thin; }
  .contents > ul { columns: auto; }
  .contents > ul > li { margin-bottom: 0.75rem; }
  .contents ul ul { display: block; padding-left: 0.75rem; border-left: 1px solid var(--line); }
  .contents ul ul a { padding: 0.2rem 0; color: var(--quiet); font-size: 0.875rem; }
  .back { display: none; }
}
form.filter { display: flex; flex-wrap: wrap; gap: 0.5rem 0.75rem; align-items: end; margin: 0 0 2rem; }
form.filter label { flex: 1 1 14rem; font-size: 0.875rem; color: var(--quiet); }
input, button { min-height: 2.75rem; padding: 0.375rem 0.75rem; border-radius: 6px; font: 1rem/1.5 var(--text); }
input { display: block; width: 100%; border: 1px solid var(--quiet); background: var(--paper); color: var(--ink); }
button { border: 1px solid var(--accent); background: var(--accent); color: var(--paper); cursor: pointer; }
.mail { padding: 1.75rem 0 0.75rem; border-top: 1px solid var(--line); }
.mail h2 { margin: 0 0 0.25rem; font-size: 1.25rem; }
.mail time { white-space: nowrap; }
.mail pre { font-family: var(--text); font-size: 0.9375rem; }
.mail details pre { font-family: var(--code); font-size: 0.8125rem; }
.mail .secret { margin: 1rem 0; font: 600 2rem/1.2 var(--code); letter-spacing: 0.12em; color: var(--accent); user-select: all; }
@media print { .contents, .skip, form { display: none; } }
`
