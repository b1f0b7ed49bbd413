// Loaded into the service with `--import`. On SIGUSR2 it collects all garbage and writes how much memory is left, to
// distinguish what the service keeps from garbage that is not collected yet.
import { writeFileSync } from 'node:fs'

process.on('SIGUSR2', () => {
  for (let time = 0; time < 4; time += 1) globalThis.gc()
  writeFileSync(process.env.FUZZ_MEMORY_FILE, JSON.stringify(process.memoryUsage()))
})
