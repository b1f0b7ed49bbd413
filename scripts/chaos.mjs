// npm run chaos     a hundred buyers pay with USDC over a chain that drops, doubles and lies (CHAOS_BUYERS sets how many)
process.env.CHAOS_BUYERS ??= '100'
process.argv.push('access/x402/chaos')
await import('./test.mjs')
