// Loaded into the service with `--import`. On SIGUSR2 it collects all garbage and writes how much memory is left, so that
// what the service keeps can be told from what it has not yet thrown away.
import { writeFileSync } from 'node:fs'

process.on('SIGUSR2', () => {
  for (let time = 0; time < 4; time += 1) globalThis.gc()
  writeFileSync(process.env.FUZZ_MEMORY_FILE, JSON.stringify(process.memoryUsage()))
})
