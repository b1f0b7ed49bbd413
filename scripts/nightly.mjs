// npm run nightly             twenty thousand generated histories of payments
// MODEL_RUNS=… npm run nightly
process.env.MODEL_RUNS ??= '20000'
process.argv.push('payments/model')
await import('./test.mjs')
