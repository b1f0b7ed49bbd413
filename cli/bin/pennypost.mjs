#!/usr/bin/env node
// The published package has the bundle. In a checkout, `npm run build` makes it.
import { existsSync } from 'node:fs'

const bundle = new URL('../bundle/main.js', import.meta.url)
if (existsSync(bundle)) await import(bundle.href)
else {
  console.error('pennypost is not built here yet. Run `npm run build` once.')
  process.exitCode = 1
}
