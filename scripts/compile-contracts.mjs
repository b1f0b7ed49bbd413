// node scripts/compile-contracts.mjs           compiles the Solidity contracts of the development chain and its tests
// node scripts/compile-contracts.mjs --check   checks that the committed output matches the source
//
// The output is committed, so that starting and testing the service does not need the compiler.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import solc from 'solc'

const root = fileURLToPath(new URL('..', import.meta.url))

const outputs = [
  {
    file: 'server/src/development/base-chain/contract-code.ts',
    contracts: [
      {
        name: 'developmentUsdcCode',
        from: 'server/src/development/base-chain/contracts/DevelopmentUsdc.sol',
        kind: 'runtime',
      },
      { name: 'multicallCode', from: 'server/src/development/base-chain/contracts/Multicall.sol', kind: 'runtime' },
    ],
  },
  {
    file: 'server/src/test/smart-wallet-code.ts',
    contracts: [
      { name: 'smartWalletFactoryCode', from: 'server/src/test/contracts/SmartWallet.sol', kind: 'creation' },
      { name: 'trickWalletCode', from: 'server/src/test/contracts/TrickWallet.sol', kind: 'creation' },
    ],
  },
]

/** The contract has the name of the constant, without `Code`. */
function codeOf({ name, from, kind }) {
  const contract = name[0].toUpperCase() + name.slice(1).replace(/Code$/, '')
  const settings = {
    optimizer: { enabled: true, runs: 200 },
    evmVersion: 'cancun',
    // Without the hash of the source's metadata a changed comment changes nothing.
    metadata: { bytecodeHash: 'none', appendCBOR: false },
    outputSelection: { '*': { '*': ['evm.bytecode.object', 'evm.deployedBytecode.object'] } },
  }
  const sources = { [from]: { content: readFileSync(join(root, from), 'utf8') } }
  const result = JSON.parse(solc.compile(JSON.stringify({ language: 'Solidity', sources, settings })))
  const errors = (result.errors ?? []).map(({ formattedMessage }) => formattedMessage)
  if (errors.length > 0) throw new Error(errors.join('\n'))
  const { bytecode, deployedBytecode } = result.contracts[from][contract].evm
  return (kind === 'runtime' ? deployedBytecode : bytecode).object
}

function render({ contracts }) {
  const lines = ['// Compiled from Solidity by scripts/compile-contracts.mjs.']
  for (const contract of contracts) {
    lines.push('', `/** ${contract.kind === 'runtime' ? 'The runtime bytecode' : 'The creation bytecode'}. */`)
    lines.push(`export const ${contract.name} =`, `  '0x${codeOf(contract)}'`)
  }
  return `${lines.join('\n')}\n`
}

let isStale = false
for (const output of outputs) {
  const path = join(root, output.file)
  const text = render(output)
  if (!process.argv.includes('--check')) writeFileSync(path, text)
  else if (readFileSync(path, 'utf8') !== text) isStale = true
}
if (isStale) {
  console.error('The committed bytecode does not match its source: run node scripts/compile-contracts.mjs')
  process.exit(1)
}
