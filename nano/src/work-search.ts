import { bytesOf } from './hex.ts'
import { formatWork, isWorkEnough } from './work.ts'
import { workKernel } from './work-kernel.ts'

/**
 * Tries `pairs` pairs of nonces, starting at `first`, and returns work that reaches the threshold, or undefined. It blocks
 * the thread: half a million nonces take about 50 ms.
 */
export type WorkSearch = (root: string, threshold: bigint, first: bigint, pairs: number) => string | undefined

type Kernel = (r0: bigint, r1: bigint, r2: bigint, r3: bigint, first: bigint, pairs: number, least: bigint) => number

// Declared here because its types come with all types of a browser page.
declare const WebAssembly: {
  instantiate(module: Uint8Array): Promise<{ instance: { exports: Record<string, unknown> } }>
}

/** Compiles the kernel. Needs WebAssembly SIMD, which all current browsers and Node versions have. */
export async function createWorkSearch(): Promise<WorkSearch> {
  const { instance } = await WebAssembly.instantiate(workKernel())
  const kernel = instance.exports.search as Kernel
  return (root, threshold, first, pairs) => {
    const bytes = bytesOf(root, 32)
    const words = new DataView(bytes.buffer, bytes.byteOffset)
    const word = (index: number) => words.getBigInt64(index * 8, true)
    const least = BigInt.asIntN(64, threshold)
    const distance = kernel(word(0), word(1), word(2), word(3), BigInt.asIntN(64, first), pairs, least)
    if (distance < 0) return undefined
    const work = formatWork(BigInt.asUintN(64, first + BigInt(distance)))
    // Verified with the library's hash, so that a bug in the kernel cannot reach a block.
    if (!isWorkEnough(root, work, threshold))
      throw new Error(`the kernel found ${work} for ${root}, which is not enough`)
    return work
  }
}
