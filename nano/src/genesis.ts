import type { NanoNetwork } from './work.ts'

/** The hash of each network's first block. It identifies the network: every node has it, also one that is still empty. */
export const genesisHashes: Readonly<Record<NanoNetwork, string>> = {
  live: '991CF190094C00F0B68E2E5F75F6BEE95A2E0BD93CEAA4A6734DB9F19B728948',
  dev: '04270D7F11C4B2B472F2854C5A59F2A7E84226CE9ED799DE75744BD7D85FC9D9',
}
